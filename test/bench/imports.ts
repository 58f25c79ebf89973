import { Effect, Fiber, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { say } from "./arena.ts"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { type Drive, makeDriver } from "./driver.ts"
import { middle } from "./measure.ts"
import type { Options } from "./options.ts"
import { idOf } from "./population.ts"
import { BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { OURS, seed } from "./seed.ts"
import { residentMiB, SERVICE, startServer } from "./servers.ts"

/** Products a second, at least. */
const RATE = 5_000

/** Resident memory of the import, in MiB, whatever the size of its file. */
const MEMORY = 300

/** p99 of another store's reads meanwhile, against p99 in quiet. */
const AT_MOST = 2

const CLI = fileURLToPath(new URL("cli.js", import.meta.url))

/** A row of 0.4 KB, as shops have them. */
const rowOf = (n: number) =>
  `${JSON.stringify({
    externalId: `bench-${n}`,
    name: `Bench product number ${n}`,
    sku: `BENCH-${n}`,
    price: (n % 100_000) / 100,
    stock: n % 500,
    category: `Category ${n % 20}`,
    productType: `Type ${n % 30}`,
    vendorName: `Vendor ${n % 200}`,
    description: `24 bottles of 12 oz, number ${n} of those that an import brings`,
    countryOfOrigin: "PT",
    currencyCode: "EUR",
    tags: [`tag ${n % 50}`, `kind ${n % 7}`]
  })}\n`

/** A file of so many rows, gone with the scope. */
const fileOf = (rows: number): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-bench-import-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(folder, "products.jsonl")
    const lines = Readable.from(Array.from({ length: rows }, (_, n) => n).values()).map(rowOf)
    yield* Effect.promise(() => pipeline(lines, createWriteStream(file)))
    return file
  })

/** Imports a file into a store of its own: how long that took, in seconds, and the most memory it held. */
const bring = (url: string, store: number, file: string) =>
  Effect.gen(function* () {
    const db = yield* connection(url)
    const id = idOf("store", 0, store)
    yield* Effect.promise(() =>
      db.query("insert into stores (id, name, plan, currency_code) values ($1, 'Imported', 'scale', 'EUR')", [id])
    )
    const startedAt = performance.now()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [CLI, "import", "products", "--store", id, "--file", file, "--no-events"], {
          stdio: "ignore",
          env: { PATH: process.env["PATH"], DATABASE_URL: url }
        })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    let memory = 0
    const look = Effect.sync(() => {
      if (child.exitCode === null && child.pid !== undefined) memory = Math.max(memory, residentMiB(child.pid))
    })
    const looking = yield* Effect.forkChild(Effect.forever(Effect.andThen(look, Effect.sleep("100 millis"))))
    const [code] = yield* Effect.promise(() => once(child, "exit"))
    yield* Fiber.interrupt(looking)
    if (code !== 0) return yield* Effect.die(new Error(`The import ended with ${code}`))
    return { seconds: (performance.now() - startedAt) / 1000, memory }
  }).pipe(Effect.scoped)

/** p99 of other stores' reads, one at a time, in milliseconds. */
const listen = (drive: Drive, port: number, millis: number) =>
  Effect.map(drive({ port, work: "listFew", connections: 1, requests: 0, millis }), ({ p99 }) => p99)

/** How fast an import is, what it holds, and what it costs the others. */
export const imports = (server: string, { importRows, roundMillis, rounds }: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "import")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* connection(url)
    yield* Effect.promise(() => seed([[db, OURS]]))
    yield* Effect.promise(() => db.query("update plans set product_limit = 100000000"))
    yield* settle(db)
    const file = yield* fileOf(importRows)

    const alone = yield* bring(url, 900, file)
    const rate = importRows / alone.seconds
    yield* say(
      `${importRows.toLocaleString("en")} products in ${alone.seconds.toFixed(1)} s: ${rate.toFixed(0)} a second`
    )
    yield* settle(db)

    const drive = yield* makeDriver
    yield* listen(drive, port, roundMillis)
    const round = listen(drive, port, roundMillis)
    const quiet = yield* Effect.replicateEffect(round, rounds)
    const importing = yield* Effect.forkChild(bring(url, 901, file))
    const loud = yield* Effect.replicateEffect(round, rounds)
    const isOver = importing.pollUnsafe() !== undefined
    const beside = yield* Fiber.join(importing)
    if (isOver) yield* say("The import was over before the reads were: give it more rows")

    const lines = [
      boundLine(
        "Seconds of the import, against those at 5,000 products a second",
        alone.seconds,
        importRows / RATE,
        "s",
        1
      ),
      boundLine("Resident memory of the import", Math.max(alone.memory, beside.memory), MEMORY, "MiB", 1),
      boundLine("p99 of the others' reads beside it", middle(loud), middle(quiet), "ms", AT_MOST)
    ]
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n`)
    return !isOver && lines.every(({ reached }) => reached)
  }).pipe(Effect.scoped)
