import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { makeDueRound } from "../../src/layers/Housekeeping.ts"
import { migratedDatabase } from "../support/postgres/Postgres.ts"
import { connection, rowsOf, servicesOn } from "../support/process/Process.ts"

it.live("the processes of a database share its rounds, and a round that is due runs once", () =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* migratedDatabase)
    const db = yield* connection(url)
    const expire = rowsOf(
      db,
      `insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
       values (gen_random_uuid(), gen_random_uuid(), 'expired', '', '', now() - interval '1 second')`
    )
    const expired = rowsOf(db, "select from idempotency_records")
    const rounds = yield* Effect.forEach([1, 2, 3], () =>
      Effect.flatMap(Layer.build(servicesOn(url)), (services) => Effect.provideContext(makeDueRound, services))
    )
    const run = Effect.all(rounds, { concurrency: "unbounded" })

    yield* expire
    assert.sameMembers(yield* run, [true, false, false])
    assert.lengthOf(yield* expired, 0)

    yield* expire
    assert.deepStrictEqual(yield* run, [false, false, false])
    assert.lengthOf(yield* expired, 1)

    yield* rowsOf(db, "update housekeeping set started_at = now() - interval '10 minutes'")
    assert.sameMembers(yield* run, [true, false, false])
    assert.lengthOf(yield* expired, 0)
  })
)
