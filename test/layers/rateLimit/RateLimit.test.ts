import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { RateLimitLive } from "../../../src/layers/rateLimit/RateLimit.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeInstallation } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { suspend } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(RateLimitLive, AccessLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

const installed = Effect.gen(function* () {
  const tokens = yield* Tokens
  const installation = yield* makeInstallation({ scopes: ["read_products"] })
  return { installation, token: (yield* tokens.issue(installation)).token }
})

/** Admits all tokens concurrently. Returns the installation id or the error tag of each, in order. */
const admitAll = (tokens: ReadonlyArray<Redacted.Redacted>) =>
  Effect.flatMap(RateLimit, ({ admit }) =>
    Effect.forEach(
      tokens,
      (token) => Effect.match(admit(token), { onSuccess: ({ id }): string => id, onFailure: (error) => error._tag }),
      { concurrency: "unbounded" }
    )
  )

const windowOf = ({ id }: Installation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hits = yield* sql<{ readonly micros: string }>`
      select hit as micros from rate_windows, unnest(hits) with ordinality as h (hit, n)
      where installation_id = ${id} order by n
    `
    return hits.map(({ micros }) => Number(micros))
  })

/** Shifts the window into the future, as if the clock was set back by this many seconds. */
const setBack = ({ id }: Installation, seconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update rate_windows set hits = array(select hit + ${seconds * 1_000_000}::bigint from unnest(hits) as hit order by hit)
      where installation_id = ${id}
    `
  )

/** One step of a history: the elapsed time, then a number of concurrent requests per installation. */
interface Step {
  readonly pass: number
  readonly requests: ReadonlyArray<number>
}

/** Unit of elapsed time in seconds. It is coarse, so that the duration of the test does not matter. */
const GRID = 5

/** Reference model of the contract: at most 100 admitted requests in any 60 seconds. */
const model = (ages: ReadonlyArray<number>, requests: number): { admitted: number; ages: ReadonlyArray<number> } => {
  const admitted = Math.min(requests, 100 - ages.filter((age) => age < 60).length)
  return { admitted, ages: [...ages, ...Array.from({ length: admitted }, () => 0)] }
}

const step: FastCheck.Arbitrary<Step> = FastCheck.record({
  pass: FastCheck.integer({ min: 0, max: 13 }).map((n) => n * GRID),
  requests: FastCheck.tuple(
    FastCheck.integer({ min: 0, max: 130 }),
    FastCheck.oneof(FastCheck.constant(0), FastCheck.integer({ min: 0, max: 40 })),
    FastCheck.integer({ min: 0, max: 3 })
  )
})

/** Interleaves the requests of all installations deterministically. */
const mixed = <A>(groups: ReadonlyArray<ReadonlyArray<A>>) =>
  groups
    .flatMap((group, row) => group.map((item, place) => ({ item, order: (place * 7919 + row * 104729) % 101 })))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Rate limit", (it) => {
  it.effect("random histories of concurrent requests are admitted exactly as in the model of the rolling window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clients = yield* Effect.all([installed, installed, installed])

      const holds = (steps: ReadonlyArray<Step>) =>
        Effect.gen(function* () {
          yield* sql`update rate_windows set hits = '{}'`
          let expected = clients.map((): ReadonlyArray<number> => [])
          for (const { pass, requests } of steps) {
            yield* sql`
              update rate_windows
              set hits = array(select hit - ${pass * 1_000_000}::bigint from unnest(hits) with ordinality as h (hit, n) order by n)
            `
            const modelled = expected.map((ages, index) => {
              const older = ages.map((age) => age + pass)
              return model(older, requests[index] ?? 0)
            })
            expected = modelled.map(({ ages }) => ages)

            const tokens = clients.map(({ token }, index) => Array.from({ length: requests[index] ?? 0 }, () => token))
            const answers = yield* admitAll(mixed(tokens))
            for (const [index, { installation }] of clients.entries()) {
              const admitted = answers.filter((answer) => answer === installation.id).length
              assert.strictEqual(admitted, modelled[index]?.admitted)
            }
            const all = requests.reduce((sum, n) => sum + n, 0)
            const refused = answers.filter((answer) => answer === "RateLimitExceeded").length
            assert.strictEqual(refused, all - modelled.reduce((sum, { admitted }) => sum + admitted, 0))
          }
        })

      const run = yield* Effect.context<RateLimit | SqlClient.SqlClient>()
      const property = FastCheck.asyncProperty(
        FastCheck.array(step, { minLength: 1, maxLength: 8 }),
        (steps) => Effect.runPromise(Effect.provide(holds(steps), run)) // a failed assertion rejects
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 25, endOnFailure: true }))
    })
  )

  it.effect("a window stores the times of its admitted requests of the last 60 seconds, oldest first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { installation, token } = yield* installed
      yield* admitAll(Array.from({ length: 70 }, () => token))
      yield* sql`
        update rate_windows set hits = array(select hit - 61000000 from unnest(hits) as hit order by hit)
        where installation_id = ${installation.id}
      `
      yield* admitAll(Array.from({ length: 70 }, () => token))
      const hits = yield* windowOf(installation)
      assert.lengthOf(hits, 70)
      assert.deepStrictEqual(
        hits,
        hits.toSorted((a, b) => a - b)
      )
      const newest = hits.at(-1) ?? 0
      assert.isAbove(hits[0] ?? 0, newest - 60_000_000)
    })
  )

  it.effect("requests up to 60 seconds in the future count if the clock is set back", () =>
    Effect.gen(function* () {
      const { installation, token } = yield* installed
      yield* admitAll(Array.from({ length: 90 }, () => token))
      yield* setBack(installation, 50)
      const answers = yield* admitAll(Array.from({ length: 20 }, () => token))
      assert.lengthOf(
        answers.filter((answer) => answer === installation.id),
        10
      )
      const hits = yield* windowOf(installation)
      assert.deepStrictEqual(
        hits,
        hits.toSorted((a, b) => a - b)
      )
    })
  )

  it.effect("requests more than 60 seconds in the future do not count if the clock is set back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { installation, token } = yield* installed
      yield* admitAll(Array.from({ length: 100 }, () => token))
      yield* setBack(installation, 3600)
      const answers = yield* admitAll(Array.from({ length: 120 }, () => token))
      assert.lengthOf(
        answers.filter((answer) => answer === installation.id),
        100
      )
      const [clock] = yield* sql<{ readonly micros: string }>`select clock_micros() as micros`
      const hits = yield* windowOf(installation)
      assert.lengthOf(
        hits.filter((hit) => hit <= Number(clock?.micros)),
        100
      )
    })
  )

  it.effect("a window drops only requests more than 60 seconds in the future", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { installation, token } = yield* installed
      yield* sql`
        update rate_windows set hits = array(
          select clock_micros() + case when n < 50 then n else 3600 end * 1000000::bigint from generate_series(0, 99) as n order by n
        )
        where installation_id = ${installation.id}
      `
      const answers = yield* admitAll(Array.from({ length: 80 }, () => token))
      assert.lengthOf(
        answers.filter((answer) => answer === installation.id),
        50
      )
      assert.lengthOf(yield* windowOf(installation), 100)
    })
  )

  it.effect("each request of a mixed batch gets its own result", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [good, inactive, homeless, late] = yield* Effect.all([installed, installed, installed, installed])
      yield* suspend(inactive.installation)
      yield* sql`update stores set deleted_at = now() where id = ${homeless.installation.storeId}`
      yield* sql`update access_tokens set expires_at = now() where installation_id = ${late.installation.id}`
      const round = [good.token, inactive.token, Redacted.make("unknown"), homeless.token, late.token]
      const answers = yield* admitAll(Array.from({ length: 20 }, () => round).flat())
      const expected = [good.installation.id, "InstallationSuspended", "InvalidToken", "StoreNotFound", "InvalidToken"]
      assert.deepStrictEqual(answers, Array.from({ length: 20 }, () => expected).flat())
      for (const { installation } of [inactive, homeless, late]) assert.lengthOf(yield* windowOf(installation), 0)
      assert.lengthOf(yield* windowOf(good.installation), 20)
    })
  )

  it.effect("an admission returns the installation with its store and grants", () =>
    Effect.gen(function* () {
      const { admit } = yield* RateLimit
      const { installation, token } = yield* installed
      assert.deepInclude(installation, { scopes: ["read_products"], capabilities: [...ALL_GRANTS.capabilities] })
      assert.deepInclude(yield* admit(token), installation)
    })
  )
})
