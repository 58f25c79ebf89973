import { assert, it } from "@effect/vitest"
import { Effect, Exit, Schema, Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { holdPart } from "../../support/data/Exports.ts"
import { importScene } from "../../support/data/Imports.ts"
import {
  connection,
  rowsOf,
  startNode,
  startServer,
  temporaryFolder,
  waitUntil
} from "../../support/process/Process.ts"

const CUSTOMERS = 1_201

const customers = Array.from({ length: CUSTOMERS }, (_, n) => ({ externalId: `c${n}`, name: `Customer ${n}` }))
const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ externalId: Schema.String })))
const idsIn = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => decodeLine(line).externalId)

const LEFT = `
  select (select count(*)::integer from exports) as exports, (select count(*)::integer from export_parts) as parts,
    (select count(*)::integer from jobs) as jobs
`
const NOTHING = [{ exports: 0, parts: 0, jobs: 0 }]

/** A store with customers, whose exports wait before their second part. */
const heldScene = Effect.gen(function* () {
  const { bring, client, fileOf, storeId, url } = yield* importScene()
  yield* bring("customers", fileOf("customers.jsonl", customers))
  const hold = yield* holdPart(yield* connection(url), 1)
  const file = join(yield* temporaryFolder, "exported.jsonl")
  const args = ["export", "customers", "--store", storeId, "--file", file]
  return { client, storeId, url, file, hold, start: startNode("cli", args, { DATABASE_URL: url }) }
})

it.live("an export whose worker is killed in the middle is complete, and holds each row once", () =>
  Effect.gen(function* () {
    const { client, file, hold, start, storeId, url } = yield* heldScene
    // Keeps the command from doing the work, until it is stopped and the server does.
    yield* rowsOf(
      client,
      `insert into jobs (store_id, subject_id, kind, lease, next_at)
       values ($1, gen_random_uuid(), 'export.write', gen_random_uuid(), now() + interval '1 hour')`,
      [storeId]
    )
    const command = yield* start
    yield* waitUntil(rowsOf(client, "select from exports"), (rows) => rows.length > 0)
    command.kill("SIGSTOP")
    const serverScope = yield* Scope.fork(yield* Effect.scope)
    yield* Scope.provide(startServer({ DATABASE_URL: url }), serverScope)
    yield* rowsOf(client, "delete from jobs where next_at > now() + interval '1 minute'")
    yield* hold.reached
    assert.deepStrictEqual(yield* rowsOf(client, "select exported from exports"), [{ exported: 500 }])

    yield* Scope.close(serverScope, Exit.void)
    yield* hold.release
    // The lease of a killed runner ends by itself; the test does not wait for it.
    yield* rowsOf(client, "update jobs set next_at = now() where lease is not null")
    command.kill("SIGCONT")
    const { code, stderr } = yield* command.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(
      idsIn(readFileSync(file, "utf8")).toSorted(),
      customers.map(({ externalId }) => externalId).toSorted()
    )
    assert.deepStrictEqual(yield* rowsOf(client, LEFT), NOTHING)
  })
)

it.live("SIGINT ends an export with exit code 130 and leaves neither a file nor personal data in the database", () =>
  Effect.gen(function* () {
    const { client, file, hold, start } = yield* heldScene
    const command = yield* start
    yield* hold.reached
    command.kill("SIGINT")
    yield* hold.release
    const { code, stderr } = yield* command.ended
    assert.strictEqual(code, 130)
    assert.include(stderr, "run the command again to export")
    assert.isFalse(existsSync(file))
    assert.deepStrictEqual(yield* rowsOf(client, LEFT), NOTHING)
  })
)

it.live("a server finishes the export of a command that was killed", () =>
  Effect.gen(function* () {
    const { client, hold, start, url } = yield* heldScene
    const command = yield* start
    yield* hold.reached
    command.kill("SIGKILL")
    yield* command.ended
    yield* hold.release
    yield* rowsOf(client, "update jobs set next_at = now() where lease is not null")
    yield* startServer({ DATABASE_URL: url })
    yield* waitUntil(rowsOf(client, "select from exports where state = 'finished'"), (rows) => rows.length > 0)
    assert.deepStrictEqual(yield* rowsOf(client, LEFT), [{ exports: 1, parts: 3, jobs: 0 }])
  })
)
