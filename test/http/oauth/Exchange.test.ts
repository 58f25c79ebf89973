import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { type Form, makePkce, makePoster, REDIRECT, register, statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { startSecondServer } from "../../support/process/Process.ts"

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})

const encoded = (form: Form) => new URLSearchParams(form).toString()

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Authorization codes", (it) => {
  it.effect("redeeming a code returns valid tokens with the consented scopes and Cache-Control: no-store", () =>
    Effect.gen(function* () {
      const { agree, app, base, token } = yield* scene()
      const response = yield* token(yield* agree(app, { scopes: ["read_products", "read_orders"], capabilities: [] }))
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("cache-control"), "no-store")
      const tokens = tokensOf(response)
      assert.strictEqual(tokens.expires_in, 3600)
      assert.strictEqual(tokens.scope, "read_products read_orders")
      assert.strictEqual(yield* statusOf(base, tokens.access_token), 200)
      assert.strictEqual(yield* statusOf(base, tokens.refresh_token), 401)
    })
  )

  it.effect("codes and tokens are stored as SHA-256; they live 60 seconds, 1 hour and 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, storeId, token } = yield* scene()
      const form = yield* agree(app)
      const tokens = tokensOf(yield* token(form))
      const hashes = [form.code, tokens.access_token, tokens.refresh_token].map((value) =>
        hash("sha256", value, "buffer")
      )
      const [code, access, refresh] = hashes
      const [lifetimes] = yield* sql`
        select
          (select extract(epoch from expires_at - created_at)::integer from authorization_codes c
            join oauth_grants g on g.store_id = c.store_id and g.id = c.grant_id where code_hash = ${code}) as code,
          (select round(extract(epoch from expires_at - now()) / 3600)::integer from access_tokens
            where token_hash = ${access}) as access,
          (select round(extract(epoch from expires_at - now()) / 86400)::integer from refresh_tokens
            where token_hash = ${refresh}) as refresh
        from oauth_grants where store_id = ${storeId}
      `
      assert.deepStrictEqual(lifetimes, { code: 60, access: 1, refresh: 90 })
    })
  )

  it.effect("a confidential client authenticates by header or form, a public client by its id alone", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const byHeader = yield* raw("/oauth/token", encoded(yield* agree(app)), basic(app.clientId, app.secret ?? ""))
      assert.strictEqual(byHeader.status, 200)
      const { authorization } = basic(app.clientId, app.secret ?? "")
      const spaced = { authorization: authorization.replace("Basic ", "basic   ") }
      assert.strictEqual((yield* raw("/oauth/token", encoded(yield* agree(app)), spaced)).status, 200)
      assert.strictEqual((yield* token(yield* agree(app))).status, 200)

      const publicScene = yield* scene({ isPublic: true })
      assert.strictEqual((yield* publicScene.token(yield* publicScene.agree(publicScene.app))).status, 200)
      // Basic authentication with an empty secret.
      const empty = yield* publicScene.raw(
        "/oauth/token",
        encoded(yield* publicScene.agree(publicScene.app)),
        basic(publicScene.app.clientId, "")
      )
      assert.strictEqual(empty.status, 200)
    })
  )

  it.effect("failed client authentication returns 401 and does not consume the code", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const form = yield* agree(app)
      const { clientId: client_id } = app
      const publicClient = yield* register({ isPublic: true })
      const headers: ReadonlyArray<Form> = [
        {},
        basic(client_id, "wrong"),
        basic(client_id, ""),
        { authorization: "Basic nonsense" },
        { authorization: "Bearer x" }
      ]
      const refused = [
        ...(yield* Effect.forEach(headers, (header) => raw("/oauth/token", encoded(form), header))),
        yield* raw("/oauth/token", encoded({ ...form, client_id })),
        yield* raw("/oauth/token", encoded({ ...form, client_id, client_secret: "wrong" })),
        yield* raw(
          "/oauth/token",
          encoded({ ...form, client_id: crypto.randomUUID(), client_secret: app.secret ?? "" })
        ),
        yield* raw("/oauth/token", encoded({ ...form, client_id: publicClient.clientId, client_secret: "any" }))
      ]
      for (const { error, headers, status } of refused) {
        assert.deepStrictEqual([status, error], [401, "invalid_client"])
        assert.match(headers.get("www-authenticate") ?? "", /^Basic /)
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }
      const duplicated = yield* raw(
        "/oauth/token",
        encoded({ ...form, client_secret: app.secret ?? "" }),
        basic(client_id, app.secret ?? "")
      )
      assert.deepStrictEqual([duplicated.status, duplicated.error], [400, "invalid_request"])
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )

  it.effect("both secrets work during a rotation; an expired secret returns invalid_client", () =>
    Effect.gen(function* () {
      const { agree, app, token } = yield* scene()
      const newer = "secret_newer"
      yield* changeGlobally(
        (sql) => sql`
        insert into client_secrets (app_id, id, secret_hash)
        values (${app.appId}, uuid_v7(clock_micros()), ${hash("sha256", newer, "buffer")})
      `
      )
      assert.strictEqual((yield* token(yield* agree(app))).status, 200)
      assert.strictEqual((yield* token({ ...(yield* agree(app)), client_secret: newer })).status, 200)
      yield* changeGlobally(
        (sql) =>
          sql`update client_secrets set ends_at = now() where secret_hash = ${hash("sha256", app.secret ?? "", "buffer")}`
      )
      assert.strictEqual((yield* token(yield* agree(app))).error, "invalid_client")
      assert.strictEqual((yield* token({ ...(yield* agree(app)), client_secret: newer })).status, 200)
    })
  )

  it.effect("a wrong verifier, redirect URI or resource returns 400 and does not consume the code", () =>
    Effect.gen(function* () {
      const { agree, app, token } = yield* scene()
      const form = yield* agree(app)
      const { challenge, verifier } = makePkce()
      const cases: ReadonlyArray<readonly [Form, string]> = [
        [{ ...form, code_verifier: verifier }, "invalid_grant"],
        [{ ...form, code_verifier: challenge }, "invalid_grant"],
        [Struct.omit(form, ["code_verifier"]), "invalid_request"],
        [{ ...form, code_verifier: "short" }, "invalid_request"],
        [Struct.omit(form, ["redirect_uri"]), "invalid_request"],
        [{ ...form, redirect_uri: `${REDIRECT}/` }, "invalid_grant"],
        [{ ...form, redirect_uri: REDIRECT.slice(0, -1) }, "invalid_grant"],
        [{ ...form, resource: "https://elsewhere.example.com" }, "invalid_target"]
      ]
      for (const [wrong, error] of cases) {
        const response = yield* token(wrong)
        assert.deepStrictEqual([response.status, response.error], [400, error])
      }
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )

  it.effect("a code and its refresh token are valid only for the requested resource", () =>
    Effect.gen(function* () {
      const { agree, app, refresh, token } = yield* scene()
      const resource = "https://api.example.com/"
      const form = yield* agree(app, { resource })
      assert.strictEqual((yield* token({ ...form, resource: "https://api.example.com" })).error, "invalid_target")
      const { refresh_token } = tokensOf(yield* token({ ...form, resource }))
      assert.strictEqual(
        (yield* refresh(refresh_token, { resource: "https://other.example.com/" })).error,
        "invalid_target"
      )
      assert.strictEqual((yield* refresh(refresh_token, { resource })).status, 200)
    })
  )

  it.effect("another client cannot redeem or consume a code", () =>
    Effect.gen(function* () {
      const { agree, app, base, token } = yield* scene()
      const form = yield* agree(app)
      const others = [yield* register(), yield* register({ isPublic: true })]
      for (const other of others) {
        assert.strictEqual((yield* makePoster(base, other).token(form)).error, "invalid_grant")
      }
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )

  it.effect("an expired or unknown code returns invalid_grant", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, token } = yield* scene()
      const form = yield* agree(app)
      yield* sql`update authorization_codes set expires_at = clock_timestamp() where code_hash = ${hash("sha256", form.code, "buffer")}`
      assert.strictEqual((yield* token(form)).error, "invalid_grant")
      assert.strictEqual((yield* token({ ...form, code: "nonsense" })).error, "invalid_grant")
    })
  )

  it.effect("reusing a code revokes its tokens on every server; attempts without its client or verifier do not", () =>
    Effect.gen(function* () {
      const { agree, app, base, refresh, token } = yield* scene()
      const second = yield* startSecondServer
      const form = yield* agree(app)
      const { access_token, refresh_token } = tokensOf(yield* token(form))
      const attacker = makePoster(base, yield* register())
      yield* attacker.token(form)
      yield* token({ ...form, code_verifier: makePkce().verifier })
      assert.strictEqual(yield* statusOf(second, access_token), 200)

      assert.strictEqual((yield* token(form)).error, "invalid_grant")
      for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 401)
      assert.strictEqual((yield* refresh(refresh_token)).error, "invalid_grant")
    })
  )

  it.effect("a code of a second consent widens the installation and keeps earlier tokens valid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, base, storeId, token } = yield* scene()
      const first = tokensOf(yield* token(yield* agree(app, { scopes: ["read_products"], capabilities: [] })))
      const wider = yield* agree(app, { scopes: ["read_products", "write_products"] })
      const second = tokensOf(yield* token(wider))
      assert.strictEqual(second.scope, "read_products write_products")
      for (const { access_token } of [first, second]) assert.strictEqual(yield* statusOf(base, access_token), 200)
      const installations = yield* sql`select scopes, capabilities from installations where store_id = ${storeId}`
      assert.deepStrictEqual(installations, [
        { scopes: ["read_products", "write_products"], capabilities: ["app_storage", "customer_pii"] }
      ])
    })
  )

  it.effect("the token endpoint accepts only POST forms with each parameter once", () =>
    Effect.gen(function* () {
      const { agree, app, base, raw, token } = yield* scene()
      const form = { ...(yield* agree(app)), client_id: app.clientId, client_secret: app.secret ?? "" }
      const text = encoded(form)
      const cases = [
        yield* raw("/oauth/token", `${text}&code=${form.code}`),
        yield* raw("/oauth/token", `${text}&a=1&a=1`),
        yield* raw("/oauth/token", text, { "content-type": "application/json" }),
        yield* raw("/oauth/token", `${text}&a=${"a".repeat(20_000)}`),
        yield* token({})
      ]
      for (const { error, status } of cases) assert.deepStrictEqual([status, error], [400, "invalid_request"])
      assert.strictEqual((yield* token({ grant_type: "password" })).error, "unsupported_grant_type")
      const getResponse = yield* Effect.promise(() => fetch(`${base}/oauth/token?${text}`))
      assert.strictEqual(getResponse.status, 405)
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )
})
