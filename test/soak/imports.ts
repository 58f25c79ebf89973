import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type pg from "pg"
import { SECRET_KEY } from "../support/SecretKey.ts"
import type { Sizes } from "./options.ts"
import { LOGS } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeFixture } from "./fixture.ts"

const CLI = fileURLToPath(new URL("cli.js", import.meta.url))

/** Row of the file. Every tenth has the same name. */
const rowOf = (n: number) =>
  JSON.stringify({
    externalId: `row ${n}`,
    name: n % 10 === 0 ? "The same" : `Product ${n}`,
    price: n % 97,
    tags: ["soak"]
  })

const numbersIn = (db: pg.Client, text: string, values: ReadonlyArray<unknown>) =>
  Effect.promise(async () => {
    const { rows } = await db.query<Record<string, unknown>>(text, [...values])
    return new Map(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
  })

/** Kills an import and then the workers that continue it, at random times, and imports the file again at the end. */
export const killedImports = (server: string, { "import-kills": kills, "import-rows": rows }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("import killed")
    const { db, shops, url } = yield* makeFixture(server, 1, 1, () => "http://127.0.0.1:9")
    const store = shops[0]?.storeId ?? ""
    mkdirSync(LOGS, { recursive: true })
    const file = join(LOGS, "rows.jsonl")
    writeFileSync(file, Array.from({ length: rows }, (_, n) => `${rowOf(n)}\n`).join(""))
    const counted = Effect.map(
      numbersIn(db, "select product_count as n from stores where id = $1", [store]),
      (numbers) => numbers.get("n") ?? 0
    )
    const start = (...args: ReadonlyArray<string>) =>
      Effect.sync(() =>
        spawn(process.execPath, [CLI, ...args], {
          stdio: "ignore",
          env: { PATH: process.env["PATH"], DATABASE_URL: url, SECRET_KEY }
        })
      )
    const startImport = start("import", "products", "--store", store, "--file", file)
    const startWorker = start("worker", "--concurrency", "1")

    let done = 0
    const killOne = Effect.gen(function* () {
      const before = yield* counted
      const child = yield* done === 0 ? startImport : startWorker
      const exited = once(child, "exit")
      // The lease of the killed process ends by itself; the soak does not wait for it.
      yield* Effect.promise(() => db.query("update jobs set next_at = now() where lease is not null"))
      // Each run writes a random number of rows before it is killed.
      const step = (rows / kills) * Math.random()
      yield* Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), counted), {
        until: (n) => n >= Math.min(before + step, rows) || child.exitCode !== null
      })
      child.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      done += 1
    })
    yield* withProgress(() => `kills ${done}/${kills}`, Effect.repeat(killOne, { until: () => done >= kills }))
    const atLast = yield* counted
    const child = yield* startImport
    const [code] = yield* Effect.promise(() => once(child, "exit"))

    const books = yield* numbersIn(
      db,
      `select s.product_count as counted, (select count(*) from products where store_id = s.id) as products,
         (select count(*) from product_keys where store_id = s.id) as keys,
         (select count(*) from external_ids where store_id = s.id) as known,
         (select count(*) from search_words where store_id = s.id and word ~ '^[0-9]+$') as numbers,
         (select count(*) from journal where store_id = s.id and version is not null) as entries,
         (select count(*) from events where store_id = s.id) as events,
         (select count(*) from deliveries where store_id = s.id) as deliveries,
         (select count(*) from products where store_id = s.id and version <> 1) as changed
       from stores s where s.id = $1`,
      [store]
    )
    invariants.atLeast("kills", done, kills)
    invariants.none("the last run failed", code === 0 ? 0 : 1)
    for (const what of ["counted", "products", "keys", "known", "entries", "events", "deliveries"]) {
      invariants.none(`${what}: more or fewer than ${rows}`, Math.abs((books.get(what) ?? 0) - rows))
    }
    invariants.none("written twice", books.get("changed") ?? rows)
    // Search finds nine of ten names by their number.
    invariants.none("numbers without a search result", Math.abs((books.get("numbers") ?? 0) - rows * 0.9))
    invariants.fact("rows before the last run", String(atLast))
    return invariants.all
  }).pipe(Effect.scoped, Effect.orDie)
