import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { Encoded } from "../../../src/domain/Write.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { AppDataLive } from "../../../src/layers/records/AppData.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeApp, makeStore } from "../../support/http/Api.ts"
import { fillAppData, usageOf } from "../../support/data/AppData.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import {
  connection,
  databaseUrl,
  duringWork,
  rowsOf,
  servicesOn,
  waitForLockWaits
} from "../../support/process/Process.ts"
import { performIn } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, AppDataLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

/** Number of entries of an installation. */
const ENTRIES = 300

/** Uninstalls an app with data, as if this many milliseconds ago. */
const uninstalled = Effect.fn(function* (millis: number) {
  const sql = yield* SqlClient.SqlClient
  const installations = yield* Installations
  const [storeId, appId] = [yield* makeStore(), yield* makeApp()]
  const perform = yield* performIn(storeId)
  const install = perform(installations.install({ storeId, appId, ...ALL_GRANTS }))
  const installation = yield* install
  const { id } = installation
  yield* fillAppData(installation, ENTRIES, 10 * ENTRIES)
  yield* perform(installations.uninstall(storeId, id))
  yield* sql`
    update installations set uninstalled_at = clock_timestamp() - ${millis} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}
  `
  const { put } = yield* AppData
  const entry = { key: "new", value: new Encoded("1") }
  return { installation, install, put: Effect.suspend(() => perform(put(installation, "settings", entry))) }
})

const HOURS = 3_600_000

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("App data after an uninstall", (it) => {
  it.effect("app data is kept for 48 hours after an uninstall, and a second install within them restores it", () =>
    Effect.gen(function* () {
      const { purge } = yield* Installations
      const early = yield* uninstalled(48 * HOURS - 60_000)
      const late = yield* uninstalled(48 * HOURS)
      const purged = yield* uninstalled(49 * HOURS)
      const first = yield* uninstalled(50 * HOURS)

      yield* late.install
      assert.lengthOf(yield* usageOf(late.installation), 0)
      // The oldest uninstall is purged first.
      assert.strictEqual(yield* purge, 1)
      assert.lengthOf(yield* usageOf(first.installation), 0)
      assert.lengthOf(yield* usageOf(purged.installation), 1)
      assert.deepStrictEqual([yield* purge, yield* purge], [1, 0])
      yield* purged.install
      assert.lengthOf(yield* usageOf(purged.installation), 0)
      yield* early.install
      const stored = [{ entries: ENTRIES, bytes: 10 * ENTRIES, isRight: true }]
      assert.deepStrictEqual(yield* usageOf(early.installation), stored)

      for (const { installation, put } of [late, purged]) {
        yield* put
        assert.deepStrictEqual(yield* usageOf(installation), [{ entries: 1, bytes: 1, isRight: true }])
      }
    })
  )

  it.effect("app data is purged again 48 hours after a second uninstall", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const installations = yield* Installations
      const { install, installation, put } = yield* uninstalled(48 * HOURS)
      const { id, storeId } = installation
      assert.strictEqual(yield* installations.purge, 1)
      yield* install
      yield* put
      const perform = yield* performIn(storeId)
      yield* perform(installations.uninstall(storeId, id))
      assert.strictEqual(yield* installations.purge, 0)
      yield* sql`
        update installations set uninstalled_at = uninstalled_at - interval '48 hours'
        where store_id = ${storeId} and id = ${id}
      `
      assert.strictEqual(yield* installations.purge, 1)
      assert.lengthOf(yield* usageOf(installation), 0)
    })
  )

  it.effect("an install during the purge finds no data, and new data stays", () =>
    Effect.gen(function* () {
      const { purge } = yield* Installations
      const { install, installation, put } = yield* uninstalled(48 * HOURS)
      const [holder, watcher] = [yield* connection(yield* databaseUrl), yield* connection(yield* databaseUrl)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "select from app_data where store_id = $1 limit 1 for update", [installation.storeId])
      const purging = yield* Effect.forkChild(purge)
      yield* duringWork(purging, waitForLockWaits(watcher, 1))
      const again = yield* Effect.forkChild(Effect.andThen(install, put))
      yield* duringWork(again, waitForLockWaits(watcher, 2))
      yield* rowsOf(holder, "commit")
      assert.strictEqual(yield* Fiber.join(purging), 1)
      yield* Fiber.join(again)
      assert.deepStrictEqual(yield* usageOf(installation), [{ entries: 1, bytes: 1, isRight: true }])
    })
  )

  it.effect("an install that races with the purge finds all data or none", () =>
    Effect.gen(function* () {
      const other = Context.get(yield* Layer.build(servicesOn(yield* databaseUrl)), Installations)
      for (let round = 0; round < 20; round++) {
        const { install, installation, put } = yield* uninstalled(48 * HOURS - (round % 8))
        const again = Effect.andThen(install, put)
        yield* Effect.all([again, other.purge, other.purge], { concurrency: "unbounded" })
        const [usage] = yield* usageOf(installation)
        assert.isTrue(usage?.isRight)
        assert.include([1, ENTRIES + 1], usage?.entries)
      }
    })
  )
})
