import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import {
  type InstallationAct,
  type InstallationState,
  stateAfter,
  TRANSITIONS
} from "../../../src/domain/access/InstallationState.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeApp, makeInstallation, makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { connection, databaseUrl, duringWork, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"
import { performIn } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

const acts = FastCheck.array(
  FastCheck.constantFrom<Array<InstallationAct>>("install", "suspend", "resume", "uninstall"),
  {
    maxLength: 12
  }
)

/** Installs an app. `act` returns true if the act succeeded. */
const scene = Effect.gen(function* () {
  const [storeId, appId] = [yield* makeStore(), yield* makeApp()]
  const installations = yield* Installations
  const perform = yield* performIn(storeId)
  const install = perform(installations.install({ storeId, appId, ...ALL_GRANTS }))
  const { id } = yield* install
  const byName = {
    install,
    suspend: Effect.suspend(() => perform(installations.suspend(storeId, id))),
    resume: Effect.suspend(() => perform(installations.resume(storeId, id))),
    uninstall: Effect.suspend(() => perform(installations.uninstall(storeId, id)))
  } satisfies Record<InstallationAct, Effect.Effect<unknown, unknown>>
  const act = (name: InstallationAct) => Effect.isSuccess<unknown, unknown, never>(byName[name])
  return { storeId, id, act }
})

const stateOf = Effect.fn(function* (storeId: StoreId, id: InstallationId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly state: InstallationState }>`
    select case when uninstalled_at is not null then 'uninstalled' when is_active then 'active' else 'suspended' end as state
    from installations where store_id = ${storeId} and id = ${id}
  `
  return row?.state
})

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Installation state", (it) => {
  it.effect("every sequence of acts follows the transitions of the state machine", () =>
    Effect.gen(function* () {
      for (const names of FastCheck.sample(acts, 25)) {
        const { act, id, storeId } = yield* scene
        let state: InstallationState = "active"
        for (const name of names) {
          const next = stateAfter(state, name)
          assert.strictEqual(yield* act(name), Option.isSome(next), `${name} while ${state}`)
          state = Option.getOrElse(next, () => state)
          assert.strictEqual(yield* stateOf(storeId, id), state, name)
        }
      }
    })
  )

  it.effect("the database rejects a row that is both active and uninstalled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { act, id, storeId } = yield* scene
      yield* act("uninstall")
      const activate = sql`update installations set is_active = true where store_id = ${storeId} and id = ${id}`
      const { reason } = yield* Effect.flip(activate)
      assert.deepInclude(reason.cause, { constraint: "installations_state_check" })
      assert.strictEqual(yield* stateOf(storeId, id), TRANSITIONS.uninstall.to)
    })
  )

  it.effect("a token issued during an uninstall is not valid afterwards", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issue } = yield* Tokens
      const installation = yield* makeInstallation()
      const { id, storeId } = installation
      const [holder, watcher] = [yield* connection(yield* databaseUrl), yield* connection(yield* databaseUrl)]
      yield* rowsOf(holder, "begin")
      const uninstall =
        "update installations set is_active = false, uninstalled_at = now() where store_id = $1 and id = $2"
      yield* rowsOf(holder, uninstall, [storeId, id])
      const issuing = yield* Effect.forkChild(Effect.flip(issue(installation)))
      yield* duringWork(issuing, waitForLockWaits(watcher, 1))
      yield* rowsOf(holder, "delete from access_tokens where store_id = $1 and installation_id = $2", [storeId, id])
      yield* rowsOf(holder, "commit")
      assert.strictEqual((yield* Fiber.join(issuing))._tag, "InstallationNotFound")
      assert.lengthOf(yield* sql`select from access_tokens where store_id = ${storeId}`, 0)
    })
  )
})
