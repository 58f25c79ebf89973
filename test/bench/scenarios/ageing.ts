import { Duration, Effect, Layer, Redacted } from "effect"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Idempotency } from "../../../src/domain/Idempotency.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IdempotencyLive } from "../../../src/layers/Idempotency.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { AppDataLive } from "../../../src/layers/records/AppData.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { WebhooksLive } from "../../../src/layers/webhooks/Webhooks.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { formatInteger } from "../../../src/domain/Text.ts"
import { agedBy, AGEING } from "../../support/data/Ageing.ts"
import { begin, detail, type Line, openTable, step } from "../output.ts"
import { openConnection, createDatabase } from "../database.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { installing } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const ROUNDS = 21
const AT_MOST_MILLIS = 5

const headingsOf = (rows: number) => [
  `A purge that finds nothing among ${formatInteger(rows)} aged rows`,
  "Median ms",
  "Slowest ms",
  "At most"
]

const services = (url: string) =>
  Layer.mergeAll(IdempotencyLive, AccessLive, AppDataLive, WebhooksLive, WritesLive).pipe(
    Layer.provide(RepositoriesLive),
    Layer.provideMerge(MigrationsLive),
    Layer.provideMerge(postgres({ url: Redacted.make(url), maxConnections: 1 }))
  )

const owner = Effect.gen(function* () {
  const stores = yield* Stores
  const apps = yield* Apps
  const { install } = yield* installing
  const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
  const appId = yield* apps.create({ name: "An app", ...NO_GRANTS })
  return { appId, ...(yield* install({ storeId, appId, ...NO_GRANTS })) }
})

/** Measures a purge that finds nothing, ten minutes after the previous one. */
const timed = (purge: Effect.Effect<number>) =>
  Effect.gen(function* () {
    yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
    return yield* Effect.replicateEffect(
      Effect.map(Effect.timed(purge), ([took]) => Duration.toMillis(took)),
      ROUNDS
    )
  })

const lineOf = (tables: ReadonlyArray<string>, purge: Effect.Effect<number>) =>
  Effect.map(timed(purge), (times): Line => {
    const [median, atMost] = [medianOf(times), AT_MOST_MILLIS * tables.length]
    const cells = [tables.join(", "), median.toFixed(1), Math.max(...times).toFixed(1), String(atMost)]
    return { cells, reached: median <= atMost }
  })

/** Measures purges of tables with a million rows, after ten days of inserts and deletes. */
export const ageing = (server: string, { agedRows }: Options) =>
  Effect.gen(function* () {
    yield* begin("ageing", 4)
    const url = yield* createDatabase(server, "ageing")
    const db = yield* openConnection(url)
    const printRow = yield* openTable(headingsOf(agedRows))
    yield* Effect.gen(function* () {
      const mine = yield* owner
      yield* Effect.promise(() => db.query("set synchronous_commit = off"))
      const aged = (tables: ReadonlyArray<string>, purge: Effect.Effect<number>) =>
        Effect.gen(function* () {
          yield* step(`ageing ${tables.join(" and ")}`)
          const statements = AGEING.filter(({ name }) => tables.includes(name)).flatMap((one) =>
            agedBy(one, mine, agedRows)
          )
          for (const statement of statements) yield* Effect.promise(() => db.query(statement))
          yield* detail("purging")
          yield* printRow(yield* lineOf(tables, purge))
        })
      yield* aged(["idempotency_records"], (yield* Idempotency).purge)
      yield* aged(["access_tokens"], (yield* Tokens).purge)
      yield* aged(["app_data"], (yield* AppData).purge)
      yield* aged(["deliveries", "events"], (yield* Webhooks).purge)
    }).pipe(Effect.provide(services(url)), Effect.orDie)
  }).pipe(Effect.scoped)
