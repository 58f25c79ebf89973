import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import type pg from "pg"
import { backupScene, backupTarget, countsIn, exportOf, restore, run, succeeds } from "../support/data/StoreBackups.ts"
import { cli } from "../support/process/Cli.ts"
import { rowsOf, startNode, type Variables, waitUntil } from "../support/process/Process.ts"
import { newKey } from "../support/rpc/Rpc.ts"
import { startS3, stoppingProxy } from "../support/S3.ts"

it.live("a restore is refused with its reason, and changes nothing", () =>
  Effect.gen(function* () {
    const source = yield* backupScene
    yield* exportOf(source)
    const { backup, given, storeId } = source
    const restored = yield* backupTarget
    yield* source.copyApps(restored)
    const refuses = Effect.fn(function* (
      reason: RegExp,
      file: string,
      on: { client: pg.Client; given: Variables } = restored
    ) {
      const before = yield* countsIn(on.client)
      const { code, stderr, stdout } = yield* run(on.given, "stores", "restore", "--file", file)
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, reason)
      assert.deepStrictEqual(yield* countsIn(on.client), before)
      assert.deepStrictEqual(readdirSync(restored.given.DATA_DIR), [])
    })
    const whole = readFileSync(backup)
    const content = gunzipSync(whole)
    const saved = (name: string, bytes: Uint8Array) => {
      const path = `${backup}.${name}`
      writeFileSync(path, bytes)
      return path
    }
    const flipped = Buffer.from(whole)
    flipped[Math.floor(whole.length / 2)] = (whole[Math.floor(whole.length / 2)] ?? 0) ^ 255
    yield* refuses(/is damaged; use another backup/, saved("flipped", flipped))
    const changed = Buffer.from(content.toString("latin1").replace("Chai", "Chay"), "latin1")
    assert.notDeepEqual(changed, content)
    yield* refuses(/is damaged; use another backup/, saved("changed", gzipSync(changed)))
    const broken = Buffer.from(content.toString("latin1").replace('\n{"table"', "\n{table"), "latin1")
    yield* refuses(/is damaged; use another backup/, saved("broken", gzipSync(broken)))
    yield* refuses(/is not complete/, saved("truncated", whole.subarray(0, -100)))
    yield* refuses(/is not complete/, saved("short", gzipSync(content.subarray(0, -100))))
    yield* refuses(/is no backup of a store/, saved("text", Buffer.from("{}")))
    yield* refuses(/is no backup of a store/, saved("gzip", gzipSync("hello\n")))
    yield* refuses(/has format 2/, saved("format", gzipSync('{"format":2}\n')))
    yield* refuses(/ENOENT/, `${backup}.none`)

    yield* refuses(/exists; restore it into another database/, backup, source)
    yield* succeeds(given, "stores", "delete", storeId)
    yield* refuses(/was deleted here, and its rows stay/, backup, source)

    yield* rowsOf(
      restored.client,
      "insert into effect_sql_migrations (migration_id, name, hash) values (9999, 'later', '0123456789')"
    )
    yield* refuses(/this database has later 01234567 with \d+; restore it with the release that created it/, backup)
    yield* rowsOf(restored.client, "delete from effect_sql_migrations where migration_id = 9999")
    yield* rowsOf(restored.client, "update plans set name = 'large' where name = 'scale'")
    yield* refuses(/Plan scale is missing; create it: plans create --name scale --products 100000/, backup)
    yield* rowsOf(restored.client, "update plans set name = 'scale' where name = 'large'")
    yield* rowsOf(
      restored.client,
      "insert into merchants (id, email, name, password_hash, is_claimed) values (gen_random_uuid(), 'ada@example.com', 'A', '', true)"
    )
    yield* refuses(/not verified here: ada@example.com; let them choose a password: merchants reset-link/, backup)
    yield* rowsOf(restored.client, "update merchants set is_claimed = false")
    yield* rowsOf(
      restored.client,
      "create or replace function clock_micros() returns bigint language sql as 'select 1700000000000000::bigint'"
    )
    yield* refuses(/The clock of the database is \d+ s behind the newest id of the store/, backup)
  })
)

it.live("Ctrl-C and SIGKILL during a restore leave no row, and a refused export leaves no file", () =>
  Effect.gen(function* () {
    const source = yield* backupScene
    yield* exportOf(source)
    const restored = yield* backupTarget
    yield* source.copyApps(restored)
    const before = yield* countsIn(restored.client)
    const s3 = yield* startS3
    const idle = waitUntil(
      rowsOf(
        restored.client,
        "select from pg_stat_activity where datname = current_database() and application_name = 'partner-api'"
      ),
      ({ length }) => length === 0
    )
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const proxy = yield* stoppingProxy(s3.S3_ENDPOINT, 0)
      const settings = { ...restored.given, ...s3, S3_ENDPOINT: proxy.url }
      const running = yield* startNode("cli", ["stores", "restore", "--file", source.backup], settings)
      yield* proxy.stopped
      running.kill(signal)
      const { code, stderr } = yield* running.ended
      if (signal === "SIGINT") assert.deepStrictEqual([code, stderr], [130, "Stopped. Nothing was restored\n"])
      yield* idle
      assert.deepStrictEqual(yield* countsIn(restored.client), before)
    }
    assert.deepInclude(yield* restore({ ...restored.given, ...s3 }, source.backup), { objects: 1 })
    const unknown = yield* cli(source.url, "stores", "export", "--store", newKey(), "--file", `${source.backup}.2`)
    assert.match(unknown.stderr, /was not found/)
    assert.deepStrictEqual(
      readdirSync(join(source.backup, "..")).filter((name) => name !== "store.backup"),
      []
    )
  })
)
