import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiTest } from "../../support/http/Api.ts"
import { makePoster, type Posted, statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { startSecondServer } from "../../support/process/Process.ts"

const ROUNDS = 3
const CONCURRENCY = 64

/** A new app, because failures are counted per client. Requests alternate between two servers. */
const round = Effect.fn(function* (second: string) {
  const scenario = yield* scene()
  const posters = [scenario, makePoster(second, scenario.app)]
  const race = (send: (poster: Pick<typeof scenario, "refresh" | "token">) => Effect.Effect<Posted>) =>
    Effect.forEach(Array.from({ length: CONCURRENCY }), (_, index) => send(posters[index % 2] ?? scenario), {
      concurrency: "unbounded"
    })
  return { ...scenario, race }
})

const rounds = <A, E, R>(one: Effect.Effect<A, E, R>) => Effect.replicateEffect(one, ROUNDS, { discard: true })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })(
  "64 concurrent token requests on two servers",
  (it) => {
    it.effect("one of 64 concurrent redemptions of a code gets tokens, which the others revoke", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const second = yield* startSecondServer
        yield* rounds(
          Effect.gen(function* () {
            const { agree, app, base, race, storeId } = yield* round(second)
            const form = yield* agree(app)
            const responses = yield* race(({ token }) => token(form))
            const [success, ...more] = responses.filter(({ status }) => status === 200)
            assert.deepStrictEqual(more, [])
            const errors = new Set(responses.filter((response) => response !== success).map(({ error }) => error))
            assert.deepStrictEqual([...errors], ["invalid_grant"])
            const { access_token } = tokensOf(success ?? assert.fail("None got tokens"))
            for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 401)
            const tokenCounts = yield* sql`
            select (select count(*)::integer from refresh_tokens where store_id = ${storeId}) as refresh,
              (select count(*)::integer from access_tokens where store_id = ${storeId}) as access
          `
            assert.deepStrictEqual(tokenCounts, [{ refresh: 1, access: 0 }])
          })
        )
      })
    )

    it.effect("64 concurrent refreshes with one token return the same successor", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const second = yield* startSecondServer
        yield* rounds(
          Effect.gen(function* () {
            const { agree, app, base, race, storeId, token } = yield* round(second)
            const { refresh_token } = tokensOf(yield* token(yield* agree(app)))
            const responses = yield* race(({ refresh }) => refresh(refresh_token))
            const successors = new Set(
              responses.map((response) => JSON.stringify({ ...tokensOf(response), expires_in: undefined }))
            )
            assert.strictEqual(successors.size, 1)
            const { access_token } = tokensOf(responses[0] ?? assert.fail())
            for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 200)
            const tokenCounts = yield* sql`
            select (select count(*)::integer from refresh_tokens where store_id = ${storeId}) as refresh,
              (select count(*)::integer from access_tokens where store_id = ${storeId}) as access
          `
            assert.deepStrictEqual(tokenCounts, [{ refresh: 2, access: 2 }])
          })
        )
      })
    )
  }
)
