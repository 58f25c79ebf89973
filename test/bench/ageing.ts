import { Effect, Layer, Redacted } from "effect"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { Installations } from "../../src/domain/Installations.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import { InstallationsLive } from "../../src/layers/Installations.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/Postgres.ts"
import { WebhooksLive } from "../../src/layers/webhooks/Webhooks.ts"
import { agedBy, AGEING } from "../support/Ageing.ts"
import { say } from "./arena.ts"
import { connection, freshDatabase } from "./cluster.ts"
import { middle } from "./measure.ts"
import type { Options } from "./options.ts"
import { type Line, table } from "./report.ts"

const ROUNDS = 21
const AT_MOST_MILLIS = 5

const HEADINGS = ["A purge that finds nothing", "First ms", "Median ms", "At most"]

const services = (url: string) =>
  Layer.mergeAll(IdempotencyLive, InstallationsLive, WebhooksLive).pipe(
    Layer.provideMerge(MigrationsLive),
    Layer.provideMerge(postgres({ url: Redacted.make(url), maxConnections: 1 }))
  )

const owner = Effect.gen(function* () {
  const { createApp, createStore, install } = yield* Installations
  const storeId = yield* createStore({ name: "A store", plan: "scale", currencyCode: "EUR" })
  const appId = yield* createApp({ name: "An app", scopes: [] })
  return { appId, ...(yield* install({ storeId, appId, scopes: [] })) }
})

const timed = (purge: Effect.Effect<number>) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const changed = yield* purge
    return changed === 0 ? performance.now() - startedAt : yield* Effect.dieMessage("There was something to purge")
  })

const lineOf = (tables: ReadonlyArray<string>, purge: Effect.Effect<number>) =>
  Effect.map(Effect.replicateEffect(timed(purge), ROUNDS), (times): Line => {
    const [first = Number.NaN] = times
    const [median, atMost] = [middle(times), AT_MOST_MILLIS * tables.length]
    return {
      cells: [tables.join(", "), first.toFixed(1), median.toFixed(1), String(atMost)],
      reached: median <= atMost
    }
  })

/** Purges of tables of a million rows each, after ten days in which rows went and came. */
export const ageing = (server: string, { agedRows }: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "ageing")
    const db = yield* connection(url)
    const lines = yield* Effect.gen(function* () {
      const mine = yield* owner
      yield* Effect.promise(() => db.query("set synchronous_commit = off"))
      for (const aged of AGEING) {
        const startedAt = Date.now()
        for (const statement of agedBy(aged, mine, agedRows)) yield* Effect.promise(() => db.query(statement))
        const seconds = Math.round((Date.now() - startedAt) / 1000)
        yield* say(`Aged ${agedRows.toLocaleString("en")} rows of ${aged.name} in ${seconds} s.`)
      }
      return [
        yield* lineOf(["idempotency_records"], (yield* Idempotency).purge),
        yield* lineOf(["access_tokens"], (yield* Installations).purge),
        yield* lineOf(["deliveries", "events"], (yield* Webhooks).purge)
      ]
    }).pipe(Effect.provide(services(url)), Effect.orDie)
    yield* say(`\n${table(HEADINGS, lines)}\n`)
    return lines.every(({ reached }) => reached)
  }).pipe(Effect.scoped)
