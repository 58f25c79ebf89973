import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readdirSync } from "node:fs"
import { dataOf } from "../../support/http/Api.ts"
import { fetchBytes, picture, uploadTo } from "../../support/http/Files.ts"
import {
  connection,
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  temporaryFolder,
  waitForLockWaits
} from "../../support/process/Process.ts"
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
