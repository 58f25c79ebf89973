import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { ApiTest } from "../../support/http/Api.ts"
import { type Form, makePkce, makePoster, REDIRECT, register, statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { neighbour } from "../../support/process/Process.ts"

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})

const encoded = (form: Form) => new URLSearchParams(form).toString()

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A code", (it) => {
  it.effect("is exchanged for tokens that work, with what the merchant agreed to, and that nobody may keep", () =>
    Effect.gen(function* () {
      const { agree, app, base, token } = yield* scene()
      const answer = yield* token(yield* agree(app, { scopes: ["read_products", "read_orders"], capabilities: [] }))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      const tokens = tokensOf(answer)
      assert.strictEqual(tokens.expires_in, 3600)
      assert.strictEqual(tokens.scope, "read_products read_orders")
      assert.strictEqual(yield* statusOf(base, tokens.access_token), 200)
      assert.strictEqual(yield* statusOf(base, tokens.refresh_token), 401)
    })
  )

  it.effect("is kept as its SHA-256, as all tokens are, and lives 60 seconds; they 1 hour and 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, storeId, token } = yield* scene()
      const form = yield* agree(app)
      const tokens = tokensOf(yield* token(form))
      const hashes = [form.code, tokens.access_token, tokens.refresh_token].map((one) => hash("sha256", one, "buffer"))
      const [code, access, refresh] = hashes
      const [lives] = yield* sql`
        select
          (select extract(epoch from expires_at - created_at)::integer from authorization_codes c
            join oauth_grants g on g.store_id = c.store_id and g.id = c.grant_id where code_hash = ${code}) as code,
          (select round(extract(epoch from expires_at - now()) / 3600)::integer from access_tokens
            where token_hash = ${access}) as access,
          (select round(extract(epoch from expires_at - now()) / 86400)::integer from refresh_tokens
            where token_hash = ${refresh}) as refresh
        from oauth_grants where store_id = ${storeId}
      `
      assert.deepStrictEqual(lives, { code: 60, access: 1, refresh: 90 })
    })
  )

  it.effect("is taken from a client that proves itself by header or form, and from a public one by its id alone", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const byHeader = yield* raw("/oauth/token", encoded(yield* agree(app)), basic(app.clientId, app.secret ?? ""))
      assert.strictEqual(byHeader.status, 200)
      assert.strictEqual((yield* token(yield* agree(app))).status, 200)

      const open = yield* scene({ isPublic: true })
      assert.strictEqual((yield* open.token(yield* open.agree(open.app))).status, 200)
      // By an id alone, as if it had a secret that is empty.
      const empty = yield* open.raw("/oauth/token", encoded(yield* open.agree(open.app)), basic(open.app.clientId, ""))
      assert.strictEqual(empty.status, 200)
    })
  )

  it.effect("is refused to a client that does not prove who it is, and stays good", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const form = yield* agree(app)
      const { clientId: client_id } = app
      const open = yield* register({ isPublic: true })
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
        yield* raw("/oauth/token", encoded({ ...form, client_id: open.clientId, client_secret: "any" }))
      ]
      for (const { error, headers, status } of refused) {
        assert.deepStrictEqual([status, error], [401, "invalid_client"])
        assert.match(headers.get("www-authenticate") ?? "", /^Basic /)
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }
      const twice = yield* raw(
        "/oauth/token",
        encoded({ ...form, client_secret: app.secret ?? "" }),
        basic(client_id, app.secret ?? "")
      )
      assert.deepStrictEqual([twice.status, twice.error], [400, "invalid_request"])
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )

  it.effect("goes on with the secret before while two hold at once, and not with one that has ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, token } = yield* scene()
      const newer = "secret_newer"
      yield* sql`
        insert into client_secrets (app_id, id, secret_hash)
        values (${app.appId}, uuid_v7(clock_micros()), ${hash("sha256", newer, "buffer")})
      `
      assert.strictEqual((yield* token(yield* agree(app))).status, 200)
      assert.strictEqual((yield* token({ ...(yield* agree(app)), client_secret: newer })).status, 200)
      yield* sql`update client_secrets set ends_at = now() where secret_hash = ${hash("sha256", app.secret ?? "", "buffer")}`
      assert.strictEqual((yield* token(yield* agree(app))).error, "invalid_client")
      assert.strictEqual((yield* token({ ...(yield* agree(app)), client_secret: newer })).status, 200)
    })
  )

  it.effect("is refused with a verifier that is wrong, missing or plain, or at another address, and stays good", () =>
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
        const answer = yield* token(wrong)
        assert.deepStrictEqual([answer.status, answer.error], [400, error])
      }
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )

  it.effect("is for the resource that was named, where one was", () =>
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

  it.effect("is refused to another client, and stays good", () =>
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

  it.effect("that has expired, or never was, is refused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, token } = yield* scene()
      const form = yield* agree(app)
      yield* sql`update authorization_codes set expires_at = clock_timestamp() where code_hash = ${hash("sha256", form.code, "buffer")}`
      assert.strictEqual((yield* token(form)).error, "invalid_grant")
      assert.strictEqual((yield* token({ ...form, code: "nonsense" })).error, "invalid_grant")
    })
  )

  it.effect("that is used again revokes what it was exchanged for, in every process; a thief's attempt does not", () =>
    Effect.gen(function* () {
      const { agree, app, base, refresh, token } = yield* scene()
      const second = yield* neighbour
      const form = yield* agree(app)
      const { access_token, refresh_token } = tokensOf(yield* token(form))
      const thief = makePoster(base, yield* register())
      yield* thief.token(form)
      yield* token({ ...form, code_verifier: makePkce().verifier })
      assert.strictEqual(yield* statusOf(second, access_token), 200)

      assert.strictEqual((yield* token(form)).error, "invalid_grant")
      for (const server of [base, second]) assert.strictEqual(yield* statusOf(server, access_token), 401)
      assert.strictEqual((yield* refresh(refresh_token)).error, "invalid_grant")
    })
  )

  it.effect("of a second consent gives the same installation what was agreed to then, and the first tokens go on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, base, storeId, token } = yield* scene()
      const first = tokensOf(yield* token(yield* agree(app, { scopes: ["read_products"], capabilities: [] })))
      const wider = yield* agree(app, { scopes: ["read_products", "write_products"] })
      const second = tokensOf(yield* token(wider))
      assert.strictEqual(second.scope, "read_products write_products")
      for (const { access_token } of [first, second]) assert.strictEqual(yield* statusOf(base, access_token), 200)
      const installed = yield* sql`select scopes, capabilities from installations where store_id = ${storeId}`
      assert.deepStrictEqual(installed, [
        { scopes: ["read_products", "write_products"], capabilities: ["app_storage", "customer_pii"] }
      ])
    })
  )

  it.effect("is asked for with a form, each parameter once, by POST", () =>
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
      const asked = yield* Effect.promise(() => fetch(`${base}/oauth/token?${text}`))
      assert.strictEqual(asked.status, 405)
      assert.strictEqual((yield* token(form)).status, 200)
    })
  )
})
