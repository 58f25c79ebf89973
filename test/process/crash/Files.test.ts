import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readdirSync, statSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import type pg from "pg"
import { dataOf } from "../../support/http/Api.ts"
import { fetchBytes, picture, uploadTo } from "../../support/http/Files.ts"
import {
  connection,
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  temporaryFolder,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { startS3, stoppingProxy } from "../../support/S3.ts"
import { endSessions } from "../../support/process/Workers.ts"

it.live("a server killed between the bytes and the row of a file leaves an orphan, which a repetition uses", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const dataDir = yield* temporaryFolder
    const environment = { DATABASE_URL: url, DATA_DIR: dataDir }
    const first = yield* startServer(environment)
    const { tokens } = yield* createTokens(url)
    const bytes = yield* picture("png")
    const holder = yield* connection(url)
    yield* rowsOf(holder, "begin")
    yield* rowsOf(holder, "lock table files in share mode")
    const writing = yield* Effect.forkChild(Effect.exit(uploadTo(first.base, tokens[0], bytes, { key: "one" })))
    yield* waitForLockWaits(client, 1)
    first.kill("SIGKILL")
    yield* first.ended
    yield* Fiber.join(writing)
    // Terminates its sessions: the database would finish a statement after its client is gone.
    yield* endSessions(client, url)
    yield* rowsOf(holder, "rollback")

    const rows = rowsOf(
      client,
      `select (select count(*)::integer from files) as files, count(*)::integer as objects,
        count(unused_since)::integer as unused from media_objects`
    )
    const stored = Effect.sync(() =>
      readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((path) =>
        /[0-9a-f]{64}-[0-9a-f]{16}$/.test(path)
      )
    )
    assert.deepStrictEqual(yield* rows, [{ files: 0, objects: 1, unused: 1 }])
    assert.lengthOf(yield* stored, 1)

    const second = yield* startServer(environment)
    const answer = yield* uploadTo(second.base, tokens[0], bytes, { key: "one" })
    assert.strictEqual(answer.status, 201, answer.text)
    assert.deepStrictEqual(yield* rows, [{ files: 1, objects: 1, unused: 0 }])
    assert.lengthOf(yield* stored, 1)
    assert.isTrue((yield* fetchBytes(dataOf(answer)["url"])).bytes.equals(bytes))
  })
)

/** Ends the server and its sessions: the database would finish a statement after its client is gone. */
const kill = Effect.fn(function* (
  server: Effect.Success<ReturnType<typeof startServer>>,
  client: pg.Client,
  url: string
) {
  server.kill("SIGKILL")
  yield* server.ended
  yield* endSessions(client, url)
})

const countRows = (client: pg.Client) =>
  Effect.map(
    rowsOf(
      client,
      `select (select count(*)::integer from files) as files, count(*)::integer as objects,
        count(unused_since)::integer as unused from media_objects`
    ),
    ([row]) => row
  )

it.live.each([
  ["it receives the bytes", { files: 0, objects: 0, unused: 0 }],
  ["it stores the bytes", { files: 0, objects: 1, unused: 1 }],
  ["it commits the file", { files: 0, objects: 1, unused: 1 }]
] as const)("a server killed while %s leaves no file without bytes, and a repetition succeeds", ([step, left]) =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const temporary = yield* temporaryFolder
    const s3 = yield* startS3
    const environment = { DATABASE_URL: url, DATA_DIR: temporary, TMPDIR: temporary, ...s3 }
    const proxy = yield* stoppingProxy(s3.S3_ENDPOINT, step === "it stores the bytes" ? 0 : 10)
    const first = yield* startServer({ ...environment, S3_ENDPOINT: proxy.url })
    const { tokens } = yield* createTokens(url)
    const bytes = yield* picture("png")
    const holder = yield* connection(url)
    yield* rowsOf(holder, "select pg_advisory_lock(1)")
    yield* rowsOf(
      holder,
      `create function wait_at_commit() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return null; end $$`
    )
    yield* rowsOf(
      holder,
      `create constraint trigger waits after insert on files deferrable initially deferred
        for each row execute function wait_at_commit()`
    )
    if (step === "it receives the bytes") {
      const headers = { authorization: `Bearer ${tokens[0]}`, "idempotency-key": "one", "content-type": "image/png" }
      const sent = request(`${first.base}/api/platform/v1/files`, { method: "POST", headers })
      sent.on("error", () => undefined).write(bytes.subarray(0, 50))
      yield* waitUntil(
        Effect.sync(() => readdirSync(temporary).filter((name) => name.startsWith("upload-"))),
        (names) => names.some((name) => statSync(join(temporary, name)).size === 50)
      )
      yield* kill(first, client, url)
    } else {
      const writing = yield* Effect.forkChild(Effect.exit(uploadTo(first.base, tokens[0], bytes, { key: "one" })))
      yield* step === "it stores the bytes" ? proxy.stopped : waitForLockWaits(client, 1)
      yield* kill(first, client, url)
      yield* Fiber.join(writing)
    }
    yield* rowsOf(holder, "select pg_advisory_unlock(1)")
    assert.deepStrictEqual(yield* countRows(client), left)

    const second = yield* startServer(environment)
    const answer = yield* uploadTo(second.base, tokens[0], bytes, { key: "one" })
    assert.strictEqual(answer.status, 201, answer.text)
    assert.deepStrictEqual(yield* countRows(client), { files: 1, objects: 1, unused: 0 })
    assert.isTrue((yield* fetchBytes(dataOf(answer)["url"])).bytes.equals(bytes))
  })
)
