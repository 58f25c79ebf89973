import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { makePoster, register, statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import {
  connection,
  databaseUrl,
  duringWork,
  startSecondServer,
  rowsOf,
  waitForLockWaits
} from "../../support/process/Process.ts"
import { contextOf, performIn, suspend } from "../../support/data/Writes.ts"

const hashed = (token: string) => hash("sha256", token, "buffer")

/** An installed app with its tokens. */
const installed = Effect.fn(function* (isPublic = false) {
  const setup = yield* scene({ isPublic })
  const tokens = tokensOf(yield* setup.token(yield* setup.agree(setup.app)))
  const sql = yield* SqlClient.SqlClient
  /** Advances time for a used refresh token. */
  const age = (token: string, seconds: number) => sql`
    update refresh_tokens set used_at = used_at - make_interval(secs => ${seconds}) where token_hash = ${hashed(token)}
  `
  const [row] = yield* sql<{
    readonly id: string
  }>`select id from installations where store_id = ${setup.storeId}`
  return { ...setup, tokens, age, installationId: InstallationId.make(row?.id ?? "") }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Refresh tokens", (it) => {
  it.effect("a refresh returns new tokens, also for public clients, and keeps earlier access tokens valid", () =>
    Effect.gen(function* () {
      for (const isPublic of [false, true]) {
        const { base, refresh, tokens } = yield* installed(isPublic)
        const next = tokensOf(yield* refresh(tokens.refresh_token))
        const third = tokensOf(yield* refresh(next.refresh_token))
        const all = [tokens, next, third]
        for (const { access_token } of all) assert.strictEqual(yield* statusOf(base, access_token), 200)
        assert.strictEqual(new Set(all.flatMap((one) => [one.access_token, one.refresh_token])).size, 6)
        assert.strictEqual(next.scope, tokens.scope)
      }
    })
  )

  it.effect("reusing a refresh token within 30 seconds returns the same tokens on every server", () =>
    Effect.gen(function* () {
      const { age, app, base, refresh, tokens } = yield* installed()
      const second = makePoster(yield* startSecondServer, app)
      const next = tokensOf(yield* refresh(tokens.refresh_token))
      yield* age(tokens.refresh_token, 20)
      const again = tokensOf(yield* second.refresh(tokens.refresh_token))
      assert.deepStrictEqual({ ...again, expires_in: 3600 }, next)
      assert.isAtMost(again.expires_in, 3580)
      assert.strictEqual(yield* statusOf(base, again.access_token), 200)
      yield* refresh(next.refresh_token)
      assert.deepStrictEqual(tokensOf(yield* refresh(tokens.refresh_token)).refresh_token, next.refresh_token)
    })
  )

  it.effect("reusing a refresh token after 30 seconds revokes its grant and no other", () =>
    Effect.gen(function* () {
      const { age, agree, app, base, refresh, token, tokens } = yield* installed()
      const second = yield* startSecondServer
      const other = tokensOf(yield* token(yield* agree(app)))
      const next = tokensOf(yield* refresh(tokens.refresh_token))
      yield* age(tokens.refresh_token, 31)
      const attacker = makePoster(base, yield* register())
      assert.strictEqual((yield* attacker.refresh(tokens.refresh_token)).error, "invalid_grant")
      assert.strictEqual(yield* statusOf(second, next.access_token), 200)

      assert.strictEqual((yield* refresh(tokens.refresh_token)).error, "invalid_grant")
      for (const { access_token } of [tokens, next]) {
        assert.strictEqual(yield* statusOf(base, access_token), 401)
        assert.strictEqual(yield* statusOf(second, access_token), 401)
      }
      assert.strictEqual((yield* refresh(next.refresh_token)).error, "invalid_grant")
      assert.strictEqual(yield* statusOf(base, other.access_token), 200)
      assert.strictEqual((yield* refresh(other.refresh_token)).status, 200)
    })
  )

  it.effect("rejects another client, a missing secret, an access token and an expired refresh token", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { app, base, refresh, tokens } = yield* installed()
      for (const other of [yield* register(), yield* register({ isPublic: true })]) {
        assert.strictEqual((yield* makePoster(base, other).refresh(tokens.refresh_token)).error, "invalid_grant")
      }
      const withoutSecret = makePoster(base, { clientId: app.clientId, secret: undefined })
      assert.strictEqual((yield* withoutSecret.refresh(tokens.refresh_token)).error, "invalid_client")
      assert.strictEqual((yield* refresh(tokens.access_token)).error, "invalid_grant")
      const next = tokensOf(yield* refresh(tokens.refresh_token))
      yield* sql`update refresh_tokens set expires_at = now() where token_hash = ${hashed(next.refresh_token)}`
      assert.strictEqual((yield* refresh(next.refresh_token)).error, "invalid_grant")
    })
  )

  it.effect("a refresh returns all granted scopes; requesting more fails without consuming the token", () =>
    Effect.gen(function* () {
      const { agree, app, refresh, token } = yield* installed()
      const narrowTokens = tokensOf(yield* token(yield* agree(app, { scopes: ["read_products", "read_orders"] })))
      for (const scope of [
        "write_products",
        "read_products write_products",
        "openid email",
        "everything",
        " ",
        "   "
      ]) {
        assert.strictEqual((yield* refresh(narrowTokens.refresh_token, { scope })).error, "invalid_scope", scope)
      }
      let last = narrowTokens
      for (const scope of ["read_products", "offline_access read_products", " read_orders  openid email profile", ""]) {
        last = tokensOf(yield* refresh(last.refresh_token, { scope }))
        assert.strictEqual(last.scope, "read_products read_orders", scope)
      }
    })
  )

  it.effect("revoking any refresh token ends its grant; revoking an access token ends only that token", () =>
    Effect.gen(function* () {
      const { agree, app, base, refresh, revoke, token, tokens } = yield* installed()
      const second = yield* startSecondServer
      const next = tokensOf(yield* refresh(tokens.refresh_token))
      assert.strictEqual((yield* revoke(tokens.access_token)).status, 200)
      assert.strictEqual(yield* statusOf(second, tokens.access_token), 401)
      assert.strictEqual(yield* statusOf(second, next.access_token), 200)

      const attacker = yield* makePoster(base, yield* register()).revoke(next.access_token)
      assert.deepStrictEqual([attacker.status, attacker.error], [400, "invalid_grant"])
      const withoutSecret = makePoster(base, { clientId: app.clientId, secret: undefined })
      assert.strictEqual((yield* withoutSecret.revoke(next.refresh_token)).error, "invalid_client")
      assert.strictEqual((yield* revoke("nonsense")).status, 200)
      assert.strictEqual(yield* statusOf(second, next.access_token), 200)

      assert.strictEqual((yield* revoke(tokens.refresh_token)).status, 200)
      assert.strictEqual(yield* statusOf(second, next.access_token), 401)
      assert.strictEqual((yield* refresh(next.refresh_token)).error, "invalid_grant")
      assert.strictEqual((yield* revoke(next.refresh_token)).status, 200)
      assert.strictEqual((yield* token(yield* agree(app))).status, 200)
    })
  )

  it.effect("uninstalling or revoking an installation invalidates its tokens and pending codes", () =>
    Effect.gen(function* () {
      const { uninstall } = yield* Installations
      const { revoke } = yield* Tokens
      const { perform } = yield* Writes
      const revocations = [
        (store: StoreId, id: InstallationId) => perform(contextOf(store), uninstall(store, id)),
        (_: StoreId, id: InstallationId) => revoke(id)
      ]
      for (const end of revocations) {
        const { agree, app, base, installationId, refresh, storeId, token, tokens } = yield* installed()
        const form = yield* agree(app)
        const next = tokensOf(yield* refresh(tokens.refresh_token))
        yield* end(storeId, installationId)
        for (const { access_token } of [tokens, next]) assert.strictEqual(yield* statusOf(base, access_token), 401)
        // The first token is also invalid within its reuse period.
        for (const { refresh_token } of [tokens, next]) {
          assert.strictEqual((yield* refresh(refresh_token)).error, "invalid_grant")
        }
        assert.strictEqual((yield* token(form)).error, "invalid_grant")
        const again = tokensOf(yield* token(yield* agree(app)))
        assert.strictEqual(yield* statusOf(base, again.access_token), 200)
        assert.strictEqual(yield* statusOf(base, next.access_token), 401)
      }
    })
  )

  it.effect("a refresh works while its installation is suspended, whose requests return 403 until resumed", () =>
    Effect.gen(function* () {
      const { resume } = yield* Installations
      const { base, installationId, refresh, storeId, tokens } = yield* installed()
      yield* suspend({ id: installationId, storeId })
      const next = tokensOf(yield* refresh(tokens.refresh_token))
      assert.strictEqual(yield* statusOf(base, next.access_token), 403)
      const perform = yield* performIn(storeId)
      yield* perform(resume(storeId, installationId))
      assert.strictEqual(yield* statusOf(base, next.access_token), 200)
    })
  )

  it.effect("a revocation that waits for a refresh also ends the new tokens", () =>
    Effect.gen(function* () {
      const url = yield* databaseUrl
      const [holder, observer] = [yield* connection(url), yield* connection(url)]
      const { base, refresh, revoke, storeId, tokens } = yield* installed()
      // The refresh holds the lock of the grant and waits for the lock of the installation.
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "select from installations where store_id = $1 for update", [storeId])
      const exchange = yield* Effect.forkChild(refresh(tokens.refresh_token))
      yield* duringWork(exchange, waitForLockWaits(observer, 1))
      const end = yield* Effect.forkChild(revoke(tokens.refresh_token))
      yield* duringWork(end, waitForLockWaits(observer, 2))
      yield* rowsOf(holder, "commit")
      const next = tokensOf(yield* Fiber.join(exchange))
      assert.strictEqual((yield* Fiber.join(end)).status, 200)
      for (const { access_token } of [tokens, next]) assert.strictEqual(yield* statusOf(base, access_token), 401)
      assert.strictEqual((yield* refresh(next.refresh_token)).error, "invalid_grant")
    })
  )

  it.effect("a refresh that waits for the revocation of its grant returns invalid_grant", () =>
    Effect.gen(function* () {
      const url = yield* databaseUrl
      const [holder, observer] = [yield* connection(url), yield* connection(url)]
      const { refresh, storeId, tokens } = yield* installed()
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "update oauth_grants set revoked_at = now() where store_id = $1", [storeId])
      const exchange = yield* Effect.forkChild(refresh(tokens.refresh_token))
      yield* duringWork(exchange, waitForLockWaits(observer, 1))
      yield* rowsOf(holder, "commit")
      assert.strictEqual((yield* Fiber.join(exchange)).error, "invalid_grant")
    })
  )

  it.effect("purge deletes expired tokens and codes, and grants that have none left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Grants
      const [expired, used, fresh] = [yield* installed(), yield* installed(), yield* installed()]
      yield* used.refresh(used.tokens.refresh_token)
      const { code } = yield* fresh.agree(fresh.app)
      yield* sql`
        update refresh_tokens set expires_at = now() where ${sql.in(
          "token_hash",
          [expired, used].map(({ tokens }) => hashed(tokens.refresh_token))
        )}
      `
      yield* sql`update authorization_codes set expires_at = now() - interval '25 hours' where code_hash = ${hashed(code)}`
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      const remaining = (storeId: string) => sql`
        select (select count(*)::integer from oauth_grants where store_id = ${storeId}) as grants,
          (select count(*)::integer from refresh_tokens where store_id = ${storeId}) as tokens,
          (select count(*)::integer from authorization_codes where store_id = ${storeId}) as codes
      `
      assert.deepStrictEqual(yield* remaining(expired.storeId), [{ grants: 0, tokens: 0, codes: 0 }])
      assert.deepStrictEqual(yield* remaining(used.storeId), [{ grants: 1, tokens: 1, codes: 1 }])
      assert.deepStrictEqual(yield* remaining(fresh.storeId), [{ grants: 1, tokens: 1, codes: 1 }])
    })
  )
})
