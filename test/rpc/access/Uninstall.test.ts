import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { ClientId } from "../../../src/domain/oauth/Clients.ts"
import { Consents } from "../../../src/domain/oauth/Consents.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { Challenge } from "../../../src/domain/oauth/Pkce.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { IsolatedApiTest, makeApp } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

const VERIFIER = "a verifier of 43 characters or more, at random"
const REDIRECT = "https://example.com/callback"

/** A member of a store who consents to an app. Each run of `agree` returns a new code. */
const scene = Effect.gen(function* () {
  const { client: member, merchantId, storeId } = yield* freshMember()
  const appId = yield* makeApp()
  yield* changeGlobally((sql) => sql`update apps set is_public = true where id = ${appId}`)
  const consents = yield* Consents
  const grants = yield* Grants
  const clientId = Schema.decodeSync(ClientId)(appId)
  const challenge = Schema.decodeSync(Challenge)(hash("sha256", VERIFIER, "base64url"))
  const consent = {
    merchantId,
    storeId,
    clientId,
    redirectUri: REDIRECT,
    challenge,
    resource: undefined,
    requestId: "trace"
  }
  const credentials = { clientId, secret: undefined }
  const verifier = Redacted.make(VERIFIER)
  const find = Effect.map(member.installations.list({ storeId }), ({ items }) => items.map(({ id }) => id))
  return {
    storeId,
    agree: consents.install(consent, { appId, ...ALL_GRANTS }),
    exchange: (code: Redacted.Redacted) =>
      grants.exchange(credentials, { code, redirectUri: REDIRECT, verifier, resource: undefined }),
    refresh: (refreshToken: Redacted.Redacted) =>
      grants.refresh(credentials, { refreshToken, scopes: undefined, resource: undefined }),
    uninstall: Effect.flatMap(find, (ids) =>
      Effect.forEach(ids, (id) => member.installations.uninstall({ storeId, id, idempotencyKey: newKey() }))
    )
  }
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Uninstall", (it) => {
  it.effect("an uninstall leaves no access token to a concurrent exchange or refresh", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 12; round++) {
        const { agree, exchange, refresh, storeId, uninstall } = yield* scene
        const { refreshToken } = yield* Effect.flatMap(agree, exchange)
        const code = yield* agree
        yield* Effect.all([Effect.option(exchange(code)), uninstall, Effect.option(refresh(refreshToken))], {
          concurrency: "unbounded"
        })
        assert.lengthOf(yield* sql`select from access_tokens where store_id = ${storeId}`, 0)
      }
    })
  )
})
