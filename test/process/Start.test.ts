import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:net"
import { folder, freePort, ownDatabase, runNode, startServer, type Variables } from "../support/Process.ts"

/** Asks one server for a path. */
const ask = (base: string, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}${path}`)
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
  })

/** What stands in the way of a start, and what the line about it names. */
const refusals: ReadonlyArray<readonly [Variables, RegExp]> = [
  [{ PORT: "http" }, /^partner-api: PORT: .*"http"$/],
  [{ PORT: "70000" }, /^partner-api: PORT: .*"70000"$/],
  [{ PORT: "-1" }, /^partner-api: PORT: .*"-1"$/],
  [{ PORT: "80.5" }, /^partner-api: PORT: .*"80.5"$/],
  [{ HOST: "no.such.host.invalid" }, /^partner-api: .*no\.such\.host\.invalid/],
  [{ HOST: "192.0.2.1" }, /^partner-api: .*address not available.* 192\.0\.2\.1/],
  [{ DATABASE_POOL_SIZE: "0" }, /^partner-api: DATABASE_POOL_SIZE: Expected an integer of at least 1 but received 0$/],
  [{ DATABASE_POOL_SIZE: "-3" }, /^partner-api: DATABASE_POOL_SIZE: .* -3$/],
  [{ DATABASE_POOL_SIZE: "many" }, /^partner-api: DATABASE_POOL_SIZE: .*"many"$/],
  [{ LOG_FORMAT: "xml" }, /^partner-api: LOG_FORMAT: Expected one of \(text, json\) but received xml$/],
  [{ LOG_LEVEL: "loud" }, /^partner-api: LOG_LEVEL: Expected one of \(debug, .*, none\) but received loud$/],
  [{ WEBHOOK_WORKERS: "-1" }, /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received -1/],
  [{ WEBHOOK_ALLOW_HOSTS: "a b" }, /^partner-api: WEBHOOK_ALLOW_HOSTS: "a b" is no host/],
  [{ DEMO: "perhaps" }, /^partner-api: DEMO: .*"perhaps"/],
  [{ DATA_DIR: "/proc/partner-api/data", DEMO: "true" }, /^partner-api: DATA_DIR: .*'\/proc\/partner-api'$/],
  [{ DATABASE_URL: "hunter2" }, /^partner-api: DATABASE_URL: Expected a URL as in postgres:/],
  [{ DATABASE_URL: "" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_URL: "mysql://user:hunter2@127.0.0.1:1/db" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_URL: "postgres://user:hunter2@127.0.0.1:port/db" }, /^partner-api: DATABASE_URL: Expected a URL/],
  [{ DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db" }, /^partner-api: connect ECONNREFUSED 127\.0\.0\.1:1$/],
  [{ DATABASE_URL: "postgres://user:hunter2@no.such.host.invalid/db" }, /^partner-api: .*no\.such\.host\.invalid/]
]

for (const [wrong, line] of refusals) {
  const [[name, value] = []] = Object.entries(wrong)
  it.scopedLive(`${name}=${value} stops the start with one line alone that says why, no stack and no secret`, () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const given = { DATABASE_URL: url, DATA_DIR: yield* folder, PORT: String(yield* freePort), ...wrong }
      const { code, stderr, stdout } = yield* runNode("main", [], given)
      assert.notStrictEqual(code, 0)
      assert.isNotNull(code)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr.trimEnd(), line)
      assert.strictEqual(stdout, "")
      assert.notInclude(stderr, "hunter2")
      assert.notInclude(stderr, new URL(url).password || url)
      assert.notMatch(stderr, /\.[jt]s:\d/)
    })
  )
}

it.scopedLive("an embedded database below /proc stops the start at once, where Node would go on for ever", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* runNode("main", [], { DATA_DIR: "/proc/partner-api/data", PORT: "0" })
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(
      stderr,
      /^partner-api: The embedded PostgreSQL is not available: making \/proc[^\n]* DATA_DIR [^\n]*\n$/
    )
  })
)

it.scopedLive("a wrong user or password of the database is said without repeating the password", () =>
  Effect.gen(function* () {
    const { url } = yield* ownDatabase
    const wrong = new URL(url)
    wrong.username = "nobody"
    wrong.password = "hunter2"
    const given = { DATABASE_URL: wrong.href, PORT: String(yield* freePort) }
    const { code, stderr, stdout } = yield* runNode("main", [], given)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^partner-api: [^\n]*"nobody"[^\n]*\n$/)
    assert.notInclude(stdout + stderr, "hunter2")
  })
)

it.scopedLive("a port that is taken stops the start", () =>
  Effect.gen(function* () {
    const { url } = yield* ownDatabase
    const port = yield* freePort
    const squatter = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer().listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    assert.isTrue(squatter.listening)
    const { code, stderr } = yield* runNode("main", [], { DATABASE_URL: url, PORT: String(port) })
    assert.strictEqual(code, 1)
    assert.match(stderr, new RegExp(`^partner-api: [^\\n]*address already in use[^\\n]*:${port}\\n$`))
  })
)

it.scopedLive("listens on PORT of 127.0.0.1, says so, and is alive and ready", () =>
  Effect.gen(function* () {
    const { url } = yield* ownDatabase
    const port = yield* freePort
    const { base, said } = yield* startServer({ DATABASE_URL: url, PORT: String(port) })
    assert.match(said.stdout, new RegExp(`^Partner API  http://127\\.0\\.0\\.1:${port}/api/platform/v1$`, "m"))
    const type = "application/json"
    assert.deepStrictEqual(yield* ask(base, "/healthz"), { status: 200, type, text: '{"status":"ok"}' })
    assert.deepStrictEqual(yield* ask(base, "/readyz"), { status: 200, type, text: '{"status":"ready"}' })
    assert.strictEqual((yield* ask(base, "/api/platform/v1/products")).status, 401)
    assert.strictEqual(said.stderr, "")
  })
)

it.scopedLive("listens on the address that HOST names", () =>
  Effect.gen(function* () {
    const { url } = yield* ownDatabase
    const { base, port, said } = yield* startServer({ DATABASE_URL: url, HOST: "0.0.0.0" })
    assert.include(said.stdout, `http://0.0.0.0:${port}/api/platform/v1`)
    assert.strictEqual((yield* ask(base, "/healthz")).status, 200)
  })
)

it.scopedLive("several servers that start at once on an empty database make its schema once, and all get ready", () =>
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    yield* Effect.all(
      Array.from({ length: 3 }, () => startServer({ DATABASE_URL: url })),
      { concurrency: "unbounded" }
    )
    const { rows } = yield* Effect.promise(() => client.query("select name, count(*) from plans group by name"))
    assert.lengthOf(rows, 4)
    assert.isTrue(rows.every(({ count }) => Number(count) === 1))
  })
)
