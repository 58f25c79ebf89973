import { assert, it } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { createHash } from "node:crypto"
import { cli, jsonOutput } from "../support/process/Cli.ts"
import { makeMigratedDatabase, rowsOf, startServer } from "../support/process/Process.ts"
import { callLine, exitsOf, postTo } from "../support/rpc/Rpc.ts"

const EMAIL = "grace@example.com"
const CREATE = ["apps", "create", "--name", "App", "--scope", "read_products"]

const Client = Schema.Struct({
  appId: Schema.String.check(Schema.isUUID()),
  clientId: Schema.String.check(Schema.isUUID()),
  clientSecret: Schema.String.pipe(Schema.check(Schema.isPattern(/^app_secret_[\w-]{43}$/)))
})

it.live("a developer owns created apps, and rotating a client secret keeps the previous one", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const Created = Schema.Struct({
      developerId: Schema.String.check(Schema.isUUID()),
      email: Schema.String,
      password: Schema.String
    })
    const created = yield* jsonOutput(Created, url, "developers", "create", "--email", EMAIL, "--name", "Grace")
    const redirect = [
      "--redirect-uri",
      "https://app.example.com/callback",
      "--redirect-uri",
      "http://127.0.0.1/callback"
    ]
    const app = yield* jsonOutput(Client, url, ...CREATE, ...redirect, "--developer", EMAIL)
    assert.strictEqual(app.clientId, app.appId)
    const Public = Schema.Struct({
      appId: Schema.String.check(Schema.isUUID()),
      clientId: Schema.String.check(Schema.isUUID())
    })
    yield* jsonOutput(Public, url, ...CREATE, "--public", "--redirect-uri", "com.example.app:/callback")

    const rotate = ["apps", "rotate-secret", "--app", app.appId]
    const { clientSecret } = yield* jsonOutput(
      Schema.Struct({ ...Client.mapFields(Struct.omit(["appId"])).fields, previousUntil: Schema.DateFromString }),
      url,
      ...rotate
    )
    const stored = yield* rowsOf(client, "select secret_hash, ends_at from client_secrets order by id")
    assert.deepStrictEqual(
      stored.map(({ secret_hash }) => secret_hash),
      [app.clientSecret, clientSecret].map((secret) => createHash("sha256").update(secret).digest())
    )

    const { base } = yield* startServer({ DATABASE_URL: url })
    const signedIn = yield* Effect.promise(() =>
      fetch(`${base}/auth/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: EMAIL, password: created.password })
      })
    )
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const { text } = yield* postTo(base, callLine("apps.list", {}), { cookie })
    const Listed = Schema.Struct({
      value: Schema.Struct({
        items: Schema.Array(Schema.Struct({ id: Schema.String, redirectUris: Schema.Array(Schema.String) }))
      })
    })
    const [exit] = exitsOf(text).values()
    assert.deepStrictEqual(Schema.decodeUnknownSync(Listed)(exit).value.items, [
      { id: app.appId, redirectUris: ["https://app.example.com/callback", "http://127.0.0.1/callback"] }
    ])
  })
)

const mistakes: ReadonlyArray<readonly [options: ReadonlyArray<string>, line: RegExp, code: number]> = [
  [["--public", "--confidential"], /Give one of --public and --confidential/, 2],
  [["--developer", "nobody@example.com"], /No merchant has the e-mail address nobody@example\.com/, 1],
  [
    ["--redirect-uri", "http://app.example.com/"],
    /The redirect URI http:\/\/app\.example\.com\/ must begin with https/,
    1
  ],
  [["--redirect-uri", "com.example.app:/callback"], /only public apps of a developer may use/, 1]
]

it.live("invalid options of apps create print one error line and create nothing", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    for (const [options, line, expected] of mistakes) {
      const { code, stderr } = yield* cli(url, ...CREATE, ...options)
      assert.strictEqual(code, expected)
      assert.match(stderr, /^partner-api: [^\n]+\n$/)
      assert.match(stderr, line)
    }
    assert.deepStrictEqual(yield* rowsOf(client, "select from apps"), [])
  })
)
