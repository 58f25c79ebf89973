import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { Health } from "../../src/domain/Health.ts"
import { HealthLive, MaxSlowness } from "../../src/layers/Health.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { freshDatabase } from "../support/postgres/Postgres.ts"
import { connection, rowsOf, waitForLockWaits } from "../support/process/Process.ts"
import { RepositoriesLive } from "../../src/layers/Domain.ts"

it.live("a process becomes ready once another one has made its migrations, and then stops checking them", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = postgres({ url, maxConnections: 1 })
    yield* Effect.gen(function* () {
      const { isReady } = yield* Health
      assert.isFalse(yield* isReady)
      yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
      const holder = yield* connection(Redacted.value(url))
      yield* rowsOf(holder, "update effect_sql_migrations set hash = reverse(hash)")
      assert.isFalse(yield* isReady)
      yield* rowsOf(holder, "update effect_sql_migrations set hash = reverse(hash)")
      assert.isTrue(yield* isReady)

      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table effect_sql_migrations")
      assert.isTrue(yield* isReady)
    }).pipe(Effect.provide(HealthLive.pipe(Layer.provide(RepositoriesLive), Layer.provide(database))))
  })
)

it.live("concurrent readiness checks share one query", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = postgres({ url, maxConnections: 1 })
    yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
    yield* Effect.gen(function* () {
      const { isReady } = yield* Health
      const [holder, watcher] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table effect_sql_migrations")
      const answers = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => isReady),
          { concurrency: "unbounded" }
        )
      )
      assert.lengthOf(yield* waitForLockWaits(watcher, 1), 1)
      yield* rowsOf(holder, "commit")
      assert.lengthOf(new Set(yield* Fiber.join(answers)), 1)
      assert.isTrue(yield* isReady)
    }).pipe(Effect.provide(HealthLive.pipe(Layer.provide(RepositoriesLive), Layer.provide(database))))
  })
)

it.live("a process stays ready while the database is only slow", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = postgres({ url, maxConnections: 1 })
    yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
    yield* Effect.gen(function* () {
      const { isReady } = yield* Health
      const holder = yield* connection(Redacted.value(url))
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table idempotency_records in access exclusive mode")
      assert.isFalse(yield* isReady, "before the first success")
      yield* rowsOf(holder, "commit")
      assert.isTrue(yield* isReady)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table idempotency_records in access exclusive mode")
      assert.isTrue(yield* isReady)
      yield* rowsOf(holder, "commit")
    }).pipe(Effect.provide(HealthLive.pipe(Layer.provide(RepositoriesLive), Layer.provide(database))))
  })
)

it.live("a process is not ready while an admission table stays locked, and ready again afterwards", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = postgres({ url, maxConnections: 1 })
    yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
    yield* Effect.gen(function* () {
      const { isReady } = yield* Health
      const holder = yield* connection(Redacted.value(url))
      for (const table of ["rate_windows", "agent_windows", "merchant_call_windows"]) {
        assert.isTrue(yield* isReady, table)
        yield* rowsOf(holder, "begin")
        yield* rowsOf(holder, `lock table ${table} in access exclusive mode`)
        assert.isFalse(yield* isReady, table)
        yield* rowsOf(holder, "commit")
      }
      assert.isTrue(yield* isReady)
    }).pipe(
      Effect.provide(HealthLive.pipe(Layer.provide(RepositoriesLive), Layer.provide(database))),
      Effect.provideService(MaxSlowness, Duration.seconds(1))
    )
  })
)
