import { Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { EventId, EventKind } from "../domain/Events.ts"
import { StoreId } from "../domain/Store.ts"
import { DeliveryState, OVERLAP_HOURS } from "../domain/webhooks/Webhook.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { app, choice, command, group, json, limit, option, toggle, usageError, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

const url = option("url", Schema.String, "URL that receives the events, for example https://app.example/hooks")

export const events = choice("event", EventKind.literals, "Event kind to deliver; repeatable")

/** Field for a signing secret. Secrets are printed on creation only. */
export const secretFields = (secret: Option.Option<Redacted.Redacted>) =>
  Option.match(secret, { onNone: () => ({}), onSome: (created) => ({ webhookSecret: Redacted.value(created) }) })

const set = command("set", { app, url, events: Flag.atLeast(events, 1), json }, function* ({ app, events, json, url }) {
  const { show, subscribe } = yield* Webhooks
  const secret = yield* subscribe(app, { url, kinds: events })
  const { pauseReason, url: storedUrl } = yield* show(app)
  yield* print(json, {
    appId: app,
    url: storedUrl,
    events,
    ...secretFields(secret),
    stillPaused: pauseReason ?? undefined
  })
}).pipe(
  withHelp({
    summary: "Set the webhook URL and event kinds of an app",
    details: "Prints the signing secret once, when the webhook is created.",
    examples: ['--app <id> --url "https://app.example/hooks" --event catalog.product.updated.v1']
  })
)

const rotateSecret = command(
  "rotate-secret",
  {
    app,
    now: toggle("now", "End the previous secret at once, for example if it leaked"),
    json
  },
  function* ({ app, json, now }) {
    const { rotateSecret } = yield* Webhooks
    const { previousUntil, secret } = yield* rotateSecret(app, now ? "end" : "overlap")
    const webhookSecret = Redacted.value(secret)
    yield* print(json, { appId: app, webhookSecret, previousSecretSignsUntil: previousUntil })
  }
).pipe(
  withHelp({
    summary: "Create a new signing secret",
    details: `Deliveries carry the signatures of both secrets for ${OVERLAP_HOURS} hours. With --now, receivers need the new secret at once.`,
    examples: ["--app <id>", "--app <id> --now"]
  })
)

const pause = command("pause", { app, json }, function* ({ app, json }) {
  const { pause } = yield* Webhooks
  yield* pause(app)
  yield* print(json, { appId: app, paused: true })
}).pipe(
  withHelp({
    summary: "Pause the webhook of an app",
    details: "Events are kept for DELIVERY_DAYS and delivered when the webhook is resumed.",
    examples: ["--app <id>"]
  })
)

const resume = command(
  "resume",
  {
    app,
    skipMissed: toggle("skip-missed", "Drop missed events instead of delivering them"),
    json
  },
  function* ({ app, json, skipMissed }) {
    const { resume } = yield* Webhooks
    const { count, since, until } = yield* resume(app, skipMissed ? "skip" : "deliver")
    yield* print(json, {
      appId: app,
      paused: false,
      missed: count,
      missedSince: since,
      missedUntil: until,
      missedAre: skipMissed ? "skipped" : "delivered"
    })
  }
).pipe(
  withHelp({
    summary: "Resume the webhook of an app and deliver missed events first",
    examples: ["--app <id>", "--app <id> --skip-missed"]
  })
)

const show = command("show", { app, json }, function* ({ app, json }) {
  const { show } = yield* Webhooks
  const { kinds, ...webhook } = yield* show(app)
  yield* print(json, { ...webhook, events: kinds })
}).pipe(withHelp({ summary: "Show the webhook of an app and its backlog", examples: ["--app <id>"] }))

const deliveries = command(
  "deliveries",
  {
    app,
    state: Flag.optional(choice("state", DeliveryState.literals, "Only deliveries in this state")),
    store: Flag.optional(option("store", StoreId, "Only deliveries of this store, from: stores list", "id")),
    limit,
    json
  },
  function* ({ app, json, limit, state, store }) {
    const { deliveries } = yield* Webhooks
    const filter = { state: Option.getOrUndefined(state), store: Option.getOrUndefined(store), limit }
    const { items } = yield* deliveries(app, filter)
    yield* printList(json, "deliveries", items)
  }
).pipe(
  withHelp({
    summary: "List the newest deliveries to an app",
    examples: ["--app <id>", "--app <id> --state dead --limit 10", "--app <id> --store <id>"]
  })
)

const event = option("event-id", EventId, "Event id, the webhook-id header of its deliveries", "id")

const attempts = command("attempts", { app, event, json }, function* ({ app, event, json }) {
  const { attempts } = yield* Webhooks
  yield* printList(json, "attempts", yield* attempts(app, event))
}).pipe(
  withHelp({
    summary: "List the attempts to deliver an event, with their responses",
    examples: ["--app <id> --event-id <id>"]
  })
)

const Time = Schema.DateFromString.annotate({ message: "must be a time, as in 2026-01-31T12:00:00Z" })

const redeliver = command(
  "redeliver",
  {
    app,
    event: Flag.optional(event),
    since: option("since", Time, "Deliver all events since this time, for example 2026-01-31T12:00:00Z", "time").pipe(
      Flag.optional
    ),
    dead: toggle("dead", "With --since: only deliveries whose attempts are used up"),
    json
  },
  function* ({ app, dead, event, json, since }) {
    const { redeliver, redeliverSince } = yield* Webhooks
    if (Option.isSome(event) === Option.isSome(since)) return yield* usageError("Give either --event-id or --since")
    if (dead && Option.isNone(since)) return yield* usageError("Give --dead with --since")
    const redelivered = Option.isSome(event)
      ? yield* redeliver(app, event.value)
      : yield* redeliverSince(app, Option.getOrThrow(since), dead ? "dead" : "all")
    yield* print(json, { appId: app, redelivered })
  }
).pipe(
  withHelp({
    summary: "Deliver one event, or all events since a time, again",
    examples: ["--app <id> --event-id <id>", "--app <id> --since 2026-01-31T12:00:00Z --dead"]
  })
)

export const webhook = group("webhook", "Manage the webhook of an app").pipe(
  Command.withSubcommands([set, rotateSecret, pause, resume, show, deliveries, attempts, redeliver])
)
