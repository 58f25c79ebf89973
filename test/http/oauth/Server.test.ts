import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, References } from "effect"
import { createConnection } from "node:net"
import { type AccessEntry, AccessLog } from "../../../src/http/server/AccessLog.ts"
import { PublicUrl } from "../../../src/http/headers/Origin.ts"
import { IsolatedApiTest, baseUrl } from "../../support/http/Api.ts"
import { makePkce, makePoster, register, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"

/** All log lines of the service. */
class LogLines extends Context.Service<LogLines, Array<string>>()("LogLines") {}

const LogsTest = Layer.unwrap(
  Effect.map(LogLines, (lines) =>
    Layer.mergeAll(
      Layer.succeed(AccessLog, (access: AccessEntry) => void lines.push(JSON.stringify(access))),
      Logger.layer([Logger.map(Logger.formatStructured, (line) => void lines.push(JSON.stringify(line)))]),
      Layer.succeed(References.MinimumLogLevel, "All")
    )
  )
)

const NAME = "https://partners.example.com"

const Test = IsolatedApiTest.pipe(
  Layer.provide(Layer.succeed(PublicUrl, NAME)),
  Layer.provide(LogsTest),
  Layer.provideMerge(Layer.sync(LogLines, () => []))
)

layer(Test, { excludeTestServices: true, timeout: "60 seconds" })("Authorization server", (it) => {
  it.effect("GET /.well-known/oauth-authorization-server returns metadata with URLs of PUBLIC_URL", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const response = yield* Effect.promise(() => fetch(`${base}/.well-known/oauth-authorization-server`))
      assert.strictEqual(response.status, 200)
      assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
      const methods = ["client_secret_basic", "client_secret_post", "none"]
      const { scopes_supported, ...metadata } = yield* Effect.promise(() => response.json())
      assert.deepStrictEqual(metadata, {
        issuer: NAME,
        authorization_endpoint: `${NAME}/oauth/authorize`,
        token_endpoint: `${NAME}/oauth/token`,
        revocation_endpoint: `${NAME}/oauth/revoke`,
        registration_endpoint: `${NAME}/oauth/register`,
        client_id_metadata_document_supported: true,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_methods_supported: methods,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${NAME}/docs`
      })
      assert.include(scopes_supported, "read_products")
    })
  )

  it.effect("logs contain no code, token, secret or verifier, valid or not", () =>
    Effect.gen(function* () {
      const lines = yield* LogLines
      const { agree, app, base, raw, refresh, revoke, token } = yield* scene()
      const form = yield* agree(app)
      const { access_token, refresh_token } = tokensOf(yield* token(form))
      const next = tokensOf(yield* refresh(refresh_token))
      yield* revoke(next.access_token)
      yield* token(form)
      yield* token({ ...form, code_verifier: makePkce().verifier })
      yield* makePoster(base, yield* register()).token(form)
      yield* makePoster(base, { ...app, secret: "wrong-secret" }).refresh(refresh_token)
      yield* raw(`/oauth/token?code=${form.code}`, "code=in-the-query")
      yield* raw("/oauth/token", "%zz=1&code=broken")
      // The connection closes before the form is complete.
      const { hostname, port } = new URL(base)
      yield* Effect.callback<void>((done) => {
        const socket = createConnection({ host: hostname, port: Number(port) }, () => {
          const head = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 999\r\n\r\n"
          socket.write(`POST /oauth/token HTTP/1.1\r\nhost: a\r\n${head}code=${form.code}`, () => socket.destroy())
        })
        socket.on("close", () => done(Effect.void))
      })
      assert.isAbove(lines.filter((line) => line.includes('"/oauth/token"')).length, 6)
      const secrets = [form.code, form.code_verifier, app.secret ?? "", access_token, refresh_token]
      const allLines = lines.join("\n")
      for (const secret of [...secrets, next.access_token, next.refresh_token, "wrong-secret", "in-the-query"]) {
        assert.notInclude(allLines, secret)
      }
    })
  )

  it.effect("too many failures of a client return 429; other clients and valid requests are unaffected", () =>
    Effect.gen(function* () {
      const { agree, app, base, refresh, revoke, token } = yield* scene()
      const responses = yield* Effect.forEach(Array.from({ length: 60 }), () => refresh("nonsense"), { concurrency: 8 })
      for (const { error, status } of responses) assert.deepStrictEqual([status, error], [400, "invalid_grant"])
      const others = [
        yield* refresh("nonsense"),
        yield* token({}),
        yield* makePoster(base, { ...app, secret: "no" }).revoke("a")
      ]
      for (const { error, headers, status } of others) {
        assert.deepStrictEqual([status, error], [429, "temporarily_unavailable"])
        const wait = Number(headers.get("retry-after"))
        assert.isTrue(wait > 0 && wait <= 60)
      }
      const other = makePoster(base, yield* register())
      assert.strictEqual((yield* other.refresh("nonsense")).error, "invalid_grant")
      const { access_token } = tokensOf(yield* token(yield* agree(app)))
      assert.strictEqual((yield* revoke(access_token)).status, 200)
    })
  )
})
