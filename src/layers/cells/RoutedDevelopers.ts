import { Array, Context, Effect, Function, Layer, Option, Schema } from "effect"
import { InstallationId } from "../../domain/access/Ids.ts"
import { Developers } from "../../domain/access/Developers.ts"
import { Idempotency } from "../../domain/Idempotency.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { makeCalls } from "./CellCalls.ts"
import { Cells, type CellServices } from "./Cells.ts"

/**
 * Asks the cells one after the other until one has the delivery. A cell may also lack a copy of a new app. Fails as `main` does
 * if there is none.
 */
const firstOf = <A, E extends { readonly _tag: string }, R>(
  calls: ReadonlyArray<Effect.Effect<A, E, R>>,
  last: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  calls.reduceRight(
    (otherwise, call) =>
      Effect.catchIf(
        call,
        ({ _tag }) => _tag === "AppNotFound" || _tag === "DeliveryNotFound",
        () => otherwise
      ),
    last
  )

/** Returns the answers of the cells that know the app or webhook. One without a copy of it yet has nothing to add. */
const answersOf = <A, E, R>(calls: ReadonlyArray<Effect.Effect<Option.Option<A>, E, R>>) =>
  Effect.map(Effect.all(calls, { concurrency: "unbounded" }), Array.getSomes)

const earlier = (a: Date | null, b: Date | null) => (a === null || (b !== null && b < a) ? b : a)
const later = (a: Date | null, b: Date | null) => (a === null || (b !== null && b > a) ? b : a)

/** Request of the newest delivery that succeeded. */
const LAST_DELIVERED = { limit: 1, state: "delivered" } as const

const decodeId = Schema.decodeUnknownOption(InstallationId)

const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)

/** Part of an app or an installation that is merged. */
const Item = Schema.StructWithRest(
  Schema.Struct({ id: Schema.String, installations: Schema.optionalKey(Schema.Int) }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const decodeItem = Schema.decodeUnknownSync(Schema.fromJsonString(Item))
const decodeItems = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Item)))

/** Adds the installations of other cells to those of an app. */
const withInstallations = (app: typeof Item.Type, others: ReadonlyArray<typeof Item.Type>) => ({
  ...app,
  installations: sum([app, ...others.filter(({ id }) => id === app.id)].map(({ installations = 0 }) => installations))
})

/**
 * Apps of developers and their webhooks, whose installations and deliveries may be in every cell. Each call asks all cells and
 * joins what they answer.
 */
export const RoutedDevelopers = Layer.unwrap(
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const developers = yield* Developers
    const { findForAccount } = yield* Idempotency
    const { names } = yield* Cells
    const { inCell } = yield* makeCalls

    const inOthers = <A, E>(call: (services: Context.Context<CellServices>) => Effect.Effect<A, E>) =>
      names.map((cell) => inCell(cell, call))

    const webhooksOfOthers = <A, E>(call: (webhooks: typeof Webhooks.Service) => Effect.Effect<A, E>) =>
      inOthers((services) => call(Context.get(services, Webhooks)))

    const developersOfOthers = <A, E>(call: (developers: typeof Developers.Service) => Effect.Effect<A, E>) =>
      inOthers((services) => call(Context.get(services, Developers)))

    /** Joins what `main` and the other cells answer. */
    const inAll = <A, E>(call: (webhooks: typeof Webhooks.Service) => Effect.Effect<A, E>) =>
      Effect.zipWith(
        call(webhooks),
        answersOf(webhooksOfOthers((one) => Effect.option(call(one)))),
        (own, others) => [own, ...others] as const
      )

    return Layer.merge(
      Layer.succeed(Webhooks, {
        ...webhooks,
        attempts: (app, event) =>
          firstOf(
            webhooksOfOthers((one) => one.attempts(app, event)),
            webhooks.attempts(app, event)
          ),
        deliveries: (app, request) =>
          Effect.map(
            inAll((one) => one.deliveries(app, request)),
            (pages) => {
              const all = pages.flatMap(({ items }) => items).toSorted((a, b) => (a.eventId < b.eventId ? 1 : -1))
              const items = all.slice(0, request.limit)
              const isMore = items.length < all.length || pages.some(({ nextCursor }) => nextCursor !== null)
              return { items, nextCursor: isMore ? (items.at(-1)?.eventId ?? null) : null }
            }
          ),
        redeliver: (app, event) =>
          firstOf(
            webhooksOfOthers((one) => one.redeliver(app, event)),
            webhooks.redeliver(app, event)
          ),
        redeliverSince: (app, since, which) =>
          Effect.map(
            inAll((one) => one.redeliverSince(app, since, which)),
            sum
          ),
        resume: (app, missed) =>
          Effect.map(
            inAll((one) => one.resume(app, missed)),
            ([own, ...others]) =>
              others.reduce(
                (total, { count, since, until }) => ({
                  count: total.count + count,
                  since: earlier(total.since, since),
                  until: later(total.until, until)
                }),
                own
              )
          ),
        show: Effect.fnUntraced(function* (app) {
          const all = yield* inAll((one) => one.show(app))
          const { testFailedAt } = all[0]
          // Tests are sent from main, which does not see deliveries of the other cells.
          const pages = testFailedAt === null ? [] : yield* inAll((one) => one.deliveries(app, LAST_DELIVERED))
          const deliveredAt = pages
            .flatMap(({ items }) => items.map(({ finishedAt }) => finishedAt))
            .reduce(later, null)
          return {
            // A paused endpoint is more urgent than a failing one.
            ...(all.find(({ pausedAt }) => pausedAt !== null) ??
              all.find(({ failingSince }) => failingSince !== null) ??
              all[0]),
            calledAt: all.map(({ calledAt }) => calledAt).reduce(earlier),
            testFailedAt: later(testFailedAt, deliveredAt) === testFailedAt ? testFailedAt : null,
            pending: sum(all.map(({ pending }) => pending)),
            oldestPendingAt: all.map(({ oldestPendingAt }) => oldestPendingAt).reduce(earlier),
            pendingDroppedFrom: all.map(({ pendingDroppedFrom }) => pendingDroppedFrom).reduce(earlier),
            dead: sum(all.map(({ dead }) => dead))
          }
        })
      }),
      Layer.succeed(Developers, {
        ...developers,
        get: (developer, app) =>
          Effect.gen(function* () {
            const own = decodeItem(yield* developers.get(developer, app))
            const others = yield* answersOf(developersOfOthers((one) => Effect.option(one.get(developer, app))))
            const found = others.map((json) => decodeItem(json))
            return JSON.stringify(withInstallations(own, found))
          }),
        list: (developer, page) =>
          Effect.gen(function* () {
            const own = yield* developers.list(developer, page)
            const others = yield* Effect.all(developersOfOthers((one) => one.list(developer, page)))
            const found = others.flatMap(({ items }) => decodeItems(items))
            return { ...own, items: JSON.stringify(decodeItems(own.items).map((app) => withInstallations(app, found))) }
          }),
        installations: (developer, app, page) =>
          Effect.gen(function* () {
            const own = yield* developers.installations(developer, app, page)
            const others = yield* answersOf(
              developersOfOthers((one) => Effect.option(one.installations(developer, app, page)))
            )
            const pages = [own, ...others]
            const all = pages.flatMap(({ items }) => decodeItems(items)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
            const items = all.slice(0, page.limit)
            const isMore = items.length < all.length || pages.some(({ nextCursor }) => nextCursor !== null)
            return {
              items: JSON.stringify(items),
              nextCursor: isMore ? Option.getOrNull(decodeId(items.at(-1)?.id)) : null
            }
          }),
        redeliver: Effect.fnUntraced(function* (developer, app, event, keyed) {
          // A write runs before its key is looked up, and is rolled back if the key is taken. Not in another cell.
          const replayed = yield* findForAccount(developer, keyed)
          if (Option.isSome(replayed)) return replayed.value.text
          return yield* firstOf(
            inOthers((services) => {
              const write = Context.get(services, Developers).redeliver(developer, app, event, keyed)
              const { onceForAccount } = Context.get(services, Idempotency)
              return Effect.map(onceForAccount(developer, keyed, write, Function.identity), ({ text }) => text)
            }),
            developers.redeliver(developer, app, event, keyed)
          )
        })
      })
    )
  })
)
