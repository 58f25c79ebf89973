import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { Database, Door } from "../../../src/layers/database/Postgres.ts"
import { statement } from "../../../src/layers/database/Statement.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeInstallation } from "../../support/Api.ts"
import { OneConnectionTest, withoutAutovacuum } from "../../support/PostgresTest.ts"

const flush = statement("select pg_stat_force_next_flush()")()

/** What was read until now, on whichever connection, is counted, and then looked at: who asks after the look is answered after it. */
const look = Effect.gen(function* () {
  const [database, door] = [yield* Database, yield* Door]
  yield* door.count(flush)
  yield* database.count(flush)
  yield* TestClock.adjust("2 seconds")
  yield* database.count(flush)
})

layer(Layer.provideMerge(DomainLive, OneConnectionTest))("an import", (it) => {
  it.effect("takes callers to be there until none was for two seconds", () =>
    Effect.gen(function* () {
      const { watchCallers } = yield* Imports
      const { issue } = yield* Tokens
      const { admit } = yield* RateLimit
      yield* withoutAutovacuum
      const { token } = yield* issue(yield* makeInstallation())
      const areQuiet = yield* watchCallers
      assert.isFalse(areQuiet())
      yield* look
      yield* look
      assert.isTrue(areQuiet())
      yield* admit(token)
      yield* look
      assert.isFalse(areQuiet())
      yield* look
      assert.isTrue(areQuiet())
    })
  )
})
