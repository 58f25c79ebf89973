import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiTest } from "../../support/http/Api.ts"
import { makePoster, type Posted, statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { neighbour } from "../../support/process/Process.ts"

const ROUNDS = 3
const AT_ONCE = 64

/** An app of its own for each round, through two servers in turn: what fails is counted for each client. */
const round = Effect.fn(function* (second: string) {
  const made = yield* scene()
  const posters = [made, makePoster(second, made.app)]
  const race = (ask: (poster: Pick<typeof made, "refresh" | "token">) => Effect.Effect<Posted>) =>
    Effect.forEach(Array.from({ length: AT_ONCE }), (_, index) => ask(posters[index % 2] ?? made), {
      concurrency: "unbounded"
    })
  return { ...made, race }
})

const rounds = <A, E, R>(one: Effect.Effect<A, E, R>) => Effect.replicateEffect(one, ROUNDS, { discard: true })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })(
  "Of 64 that come at once, through two servers",
  (it) => {
    it.effect("with one code, one gets tokens; the others are a second use, which ends those", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const second = yield* neighbour
        yield* rounds(
          Effect.gen(function* () {
            const { agree, app, base, race, storeId } = yield* round(second)
            const form = yield* agree(app)
            const answers = yield* race(({ token }) => token(form))
            const [got, ...more] = answers.filter(({ status }) => status === 200)
            assert.deepStrictEqual(more, [])
            const errors = new Set(answers.filter((answer) => answer !== got).map(({ error }) => error))
            assert.deepStrictEqual([...errors], ["invalid_grant"])
            const { access_token } = tokensOf(got ?? assert.fail("None got tokens"))
            for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 401)
            const made = yield* sql`
            select (select count(*)::integer from refresh_tokens where store_id = ${storeId}) as refresh,
              (select count(*)::integer from access_tokens where store_id = ${storeId}) as access
          `
            assert.deepStrictEqual(made, [{ refresh: 1, access: 0 }])
          })
        )
      })
    )

    it.effect("with one refresh token, all get the same successor", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const second = yield* neighbour
        yield* rounds(
          Effect.gen(function* () {
            const { agree, app, base, race, storeId, token } = yield* round(second)
            const { refresh_token } = tokensOf(yield* token(yield* agree(app)))
            const answers = yield* race(({ refresh }) => refresh(refresh_token))
            const successors = new Set(
              answers.map((answer) => JSON.stringify({ ...tokensOf(answer), expires_in: undefined }))
            )
            assert.strictEqual(successors.size, 1)
            const { access_token } = tokensOf(answers[0] ?? assert.fail())
            for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 200)
            const made = yield* sql`
            select (select count(*)::integer from refresh_tokens where store_id = ${storeId}) as refresh,
              (select count(*)::integer from access_tokens where store_id = ${storeId}) as access
          `
            assert.deepStrictEqual(made, [{ refresh: 2, access: 2 }])
          })
        )
      })
    )
  }
)
