import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { chownSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import packageJson from "../../../package.json" with { type: "json" }
import { partnerApi } from "../../../src/cli/Program.ts"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { findCluster } from "../../../src/layers/postgres/Cluster.ts"
import { service } from "../../../src/Service.ts"
import { selfSigned } from "../../support/oauth/Certificate.ts"
import { cli, runInProcess } from "../../support/process/Cli.ts"
import { dataFolder } from "../../support/postgres/DataFolder.ts"
import {
  connection,
  makeEmptyDatabase,
  temporaryFolder,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  runNode,
  startServer,
  type Variables
} from "../../support/process/Process.ts"

/** Sends a GET request. */
const get = (base: string, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}${path}`)
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
  })

/** Invalid settings and their error lines. */
const refusals: ReadonlyArray<readonly [Variables, RegExp]> = [
  [{ PORT: "http" }, /^partner-api: PORT: .*"http"$/],
  [{ PORT: "70000" }, /^partner-api: PORT: .*"70000"$/],
  [{ PORT: "-1" }, /^partner-api: PORT: .*"-1"$/],
  [{ PORT: "80.5" }, /^partner-api: PORT: .*"80.5"$/],
  [{ HOST: "no.such.host.invalid" }, /^partner-api: .*no\.such\.host\.invalid/],
  [{ HOST: "192.0.2.1" }, /^partner-api: .*address not available.* 192\.0\.2\.1/],
  [
    { PUBLIC_URL: "partners.example.com" },
    /^partner-api: PUBLIC_URL: Expected a URL as in https:.*"partners.example.com"$/
  ],
  [{ PUBLIC_URL: "http://partners.example.com" }, /^partner-api: PUBLIC_URL: Expected a URL as in https:/],
  [{ PUBLIC_URL: "https://partners.example.com/api" }, /^partner-api: PUBLIC_URL: .*, without path, but received/],
  [
    { TRUSTED_PROXIES: "10.0.0.0/33" },
    /^partner-api: TRUSTED_PROXIES: Expected addresses and networks as in .* "10.0.0.0\/33"$/
  ],
  [{ TRUSTED_PROXIES: "10.0.0.1,proxy.internal" }, /^partner-api: TRUSTED_PROXIES: Expected .* "proxy.internal"$/],
  [{ DATABASE_POOL_SIZE: "0" }, /^partner-api: DATABASE_POOL_SIZE: Expected an integer of at least 1 but received 0$/],
  [{ DATABASE_POOL_SIZE: "-3" }, /^partner-api: DATABASE_POOL_SIZE: .* -3$/],
  [{ DATABASE_POOL_SIZE: "many" }, /^partner-api: DATABASE_POOL_SIZE: .*"many"$/],
  [{ STORE_QUEUE: "0" }, /^partner-api: STORE_QUEUE: Expected 1 to 10000 but received 0$/],
  [{ JOURNAL_DAYS: "401" }, /^partner-api: JOURNAL_DAYS: Expected 30 to 400 but received 401$/],
  [{ LOG_FORMAT: "xml" }, /^partner-api: LOG_FORMAT: Expected one of \(text, json\) but received "xml"$/],
  [{ LOG_LEVEL: "loud" }, /^partner-api: LOG_LEVEL: Expected one of \(debug, .*, none\) but received "loud"$/],
  [{ WEBHOOK_WORKERS: "-1" }, /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received -1/],
  [{ WEBHOOK_ALLOW_HOSTS: "a b" }, /^partner-api: WEBHOOK_ALLOW_HOSTS: "a b" is not a valid host/],
  [{ DEMO: "perhaps" }, /^partner-api: DEMO: .*"perhaps"/],
  [{ SECRET_KEY: "" }, /^partner-api: SECRET_KEY: Expected beside DATABASE_URL: 32 bytes in base64, as "openssl rand/],
  [{ SECRET_KEY: "aHVudGVyMg==" }, /^partner-api: SECRET_KEY: Expected 32 bytes in base64, as [^=]*$/],
  [{ SECRET_KEY_PREVIOUS: "hunter2" }, /^partner-api: SECRET_KEY_PREVIOUS: Expected 32 bytes in base64, as/],
  [{ DATA_DIR: "/proc/partner-api/data", DEMO: "true" }, /^partner-api: DATA_DIR: .*'\/proc\/partner-api'$/],
  [{ DATABASE_URL: "hunter2" }, /^partner-api: DATABASE_URL: Expected a URL as in postgres:/],
  [{ DATABASE_URL: "" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_URL: "mysql://user:hunter2@127.0.0.1:1/db" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_URL: "postgres://user:hunter2@127.0.0.1:port/db" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_READ_URL: "hunter2" }, /^partner-api: DATABASE_READ_URL: Expected a URL as in postgres:/],
  [{ DATABASE_DIRECT_URL: "hunter2" }, /^partner-api: DATABASE_DIRECT_URL: Expected a URL as in postgres:/],
  [
    { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db?sslmode=bogus" },
    /^partner-api: DATABASE_URL: Expected one of disable, .*verify-full, no-verify for sslmode but received "bogus"$/
  ],
  [
    { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db?channel_binding=require" },
    /^partner-api: DATABASE_URL: Expected one of disable, prefer for channel_binding but received "require"$/
  ],
  [
    { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db", PGSSLMODE: "bogus" },
    /^partner-api: PGSSLMODE: Expected one of disable, .* but received "bogus"$/
  ],
  [{ DATABASE_PREPARE: "perhaps" }, /^partner-api: DATABASE_PREPARE: Expected a boolean value but received "perhaps"$/],
  [
    { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db" },
    /^partner-api: DATABASE_URL: 127\.0\.0\.1:1: .*ECONNREFUSED.*\. Start the database, or correct/
  ],
  [
    { DATABASE_URL: "postgres://user:hunter2@localhost:1/db" },
    /^partner-api: DATABASE_URL: localhost:1: .*ECONNREFUSED.*\. Start the database, or correct/
  ],
  [
    { DATABASE_DIRECT_URL: "postgres://user:hunter2@127.0.0.1:1/db" },
    /^partner-api: DATABASE_DIRECT_URL: 127\.0\.0\.1:1: .*ECONNREFUSED.*\. Start the database/
  ],
  [
    { DATABASE_URL: "postgres://user:hunter2@no.such.host.invalid/db" },
    /^partner-api: DATABASE_URL: no\.such\.host\.invalid:5432: .*\. The host does not exist: correct its name$/
  ]
]

/** The first case of each of these settings runs in a separate process, to check its streams and its exit. */
const PROCESSES = new Set(
  ["PORT", "HOST", "DATABASE_URL"].map((name) => refusals.find(([settings]) => name in settings))
)

for (const refusal of refusals) {
  const [settings, line] = refusal
  const [[name, value] = []] = Object.entries(settings)
  const start = (environment: Variables) =>
    PROCESSES.has(refusal) ? runNode("main", [], environment) : runInProcess(service, environment)
  it.live(`${name}=${value} fails the start with one line, without stack or secret`, () =>
    Effect.gen(function* () {
      const { url } = yield* makeEmptyDatabase
      const environment = {
        DATABASE_URL: url,
        DATA_DIR: yield* temporaryFolder,
        PORT: String(yield* freePort),
        ...settings
      }
      const { code, stderr, stdout } = yield* start(environment)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr.trimEnd(), line)
      assert.strictEqual(stdout, "")
      assert.notInclude(stderr, "hunter2")
      assert.notInclude(stderr, new URL(url).password || url)
      assert.notMatch(stderr, /\.[jt]s:\d/)
    })
  )
}

it.live("DATA_DIR below /proc fails the start with one line", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* runNode("main", [], { DATA_DIR: "/proc/partner-api/data", PORT: "0" })
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(
      stderr,
      /^partner-api: The embedded PostgreSQL is not available: creating \/proc[^\n]* DATA_DIR [^\n]*\n$/
    )
  })
)

const mistakes: ReadonlyArray<readonly [what: string, change: (url: URL) => void, line: RegExp]> = [
  [
    "a wrong user or password",
    (url) => Object.assign(url, { username: "nobody", password: "hunter2" }),
    /: [^:]*"nobody"[^:]*\. Correct user and password$/
  ],
  [
    "a missing database",
    (url) => Object.assign(url, { pathname: "/no_such_database" }),
    /: database "no_such_database" does not exist\. Create the database, or correct its name$/
  ],
  [
    "TLS without support by the database",
    (url) => url.searchParams.set("sslmode", "verify-full"),
    /: The server does not support SSL connections\. Enable TLS on the server, or remove sslmode from the URL$/
  ]
]

for (const [what, change, line] of mistakes) {
  for (const [who, start] of [
    ["a server", (environment: Variables) => runNode("main", [], environment)],
    ["a command", (environment: Variables) => runInProcess(partnerApi(["plans", "list"]), environment)]
  ] as const) {
    it.live(`with ${what}, ${who} fails to start and prints host and port without the password`, () =>
      Effect.gen(function* () {
        const { url } = yield* makeMigratedDatabase
        const invalidUrl = new URL(url)
        change(invalidUrl)
        const { code, stderr, stdout } = yield* start({ DATABASE_URL: invalidUrl.href, PORT: "0" })
        assert.strictEqual(code, 1)
        assert.match(stderr, /^[^\n]+\n$/)
        assert.isTrue(stderr.startsWith(`partner-api: DATABASE_URL: ${invalidUrl.host}: `), stderr)
        assert.match(stderr.trimEnd(), line)
        assert.notInclude(stdout + stderr, invalidUrl.password || url)
      })
    )
  }
}

it.live("a database that requires TLS needs sslmode and the certificate, and the error lines name them", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const url = new URL(Redacted.value(yield* embeddedPostgres({ dataDir, isDurable: false })))
    const client = yield* connection(url.href)
    const { data } = findCluster(dataDir)
    const { cert, key } = selfSigned("127.0.0.1")
    const [certificate, { gid, uid }] = [join(data, "server.crt"), statSync(data)]
    writeFileSync(certificate, cert)
    writeFileSync(join(data, "server.key"), key, { mode: 0o600 })
    if (process.getuid?.() === 0) chownSync(join(data, "server.key"), uid, gid)
    if (process.getuid?.() === 0) chownSync(certificate, uid, gid)
    writeFileSync(
      join(data, "pg_hba.conf"),
      "host postgres all all scram-sha-256\nhostssl guarded all all scram-sha-256\n"
    )
    yield* rowsOf(client, "create database guarded")
    yield* rowsOf(client, "alter system set ssl = on")
    yield* rowsOf(client, "select pg_reload_conf()")

    const listPlans = (search: string) => {
      const databaseUrl = new URL(url)
      databaseUrl.pathname = "/guarded"
      databaseUrl.search = search
      return Effect.map(cli(databaseUrl.href, "plans", "list"), ({ code, stderr }) => ({ code, stderr }))
    }
    const plain = yield* listPlans("")
    assert.match(
      plain.stderr,
      /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: no pg_hba\.conf entry [^\n]*no encryption\. If the server requires TLS, append \?sslmode=verify-full to the URL\n$/
    )
    const untrusted = yield* listPlans("?sslmode=verify-full")
    assert.match(
      untrusted.stderr,
      /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: self-signed certificate.*\. Append the certificate of its authority to the URL: /
    )
    const trusted = yield* listPlans(`?sslmode=verify-full&sslrootcert=${certificate}`)
    assert.deepStrictEqual(trusted, { code: 0, stderr: "" })
  })
)

it.live("DATABASE_DIRECT_URL requires DATABASE_URL", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { code, stderr } = yield* runNode("main", [], { DATABASE_DIRECT_URL: url, DATA_DIR: yield* temporaryFolder })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^partner-api: DATABASE_URL: Required with DATABASE_DIRECT_URL, which bypasses its pooler\n$/)
  })
)

it.live("a port in use fails the start", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const port = yield* freePort
    const listener = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer().listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    assert.isTrue(listener.listening)
    const { code, stderr } = yield* runNode("main", [], { DATABASE_URL: url, PORT: String(port) })
    assert.strictEqual(code, 1)
    assert.match(stderr, new RegExp(`^partner-api: [^\\n]*address already in use[^\\n]*:${port}\\n$`))
  })
)

it.live("the server listens on PORT of 127.0.0.1, prints its address, and is alive and ready", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const port = yield* freePort
    const { base, output } = yield* startServer({ DATABASE_URL: url, PORT: String(port) })
    assert.match(output.stdout, new RegExp(`^Partner API  http://127\\.0\\.0\\.1:${port}/api/platform/v1$`, "m"))
    assert.include(output.stdout, `\nVersion      ${packageJson.version}\n`)
    const type = "application/json"
    assert.deepStrictEqual(yield* get(base, "/healthz"), { status: 200, type, text: '{"status":"ok"}' })
    assert.deepStrictEqual(yield* get(base, "/readyz"), { status: 200, type, text: '{"status":"ready"}' })
    assert.strictEqual((yield* get(base, "/api/platform/v1/products")).status, 401)
    assert.strictEqual(output.stderr, "")
  })
)

it.live("the server listens on the address of HOST", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { base, port, output } = yield* startServer({ DATABASE_URL: url, HOST: "0.0.0.0" })
    assert.include(output.stdout, `http://0.0.0.0:${port}/api/platform/v1`)
    assert.strictEqual((yield* get(base, "/healthz")).status, 200)
  })
)

it.live("servers that start concurrently on an empty database create the schema once, and all become ready", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeEmptyDatabase
    yield* Effect.all(
      Array.from({ length: 3 }, () => startServer({ DATABASE_URL: url })),
      { concurrency: "unbounded" }
    )
    const { rows } = yield* Effect.promise(() => client.query("select name, count(*) from plans group by name"))
    assert.lengthOf(rows, 4)
    assert.isTrue(rows.every(({ count }) => Number(count) === 1))
  })
)
