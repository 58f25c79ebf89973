import { Effect, Fiber, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { begin, openTable, step } from "../output.ts"
import { formatInteger } from "../../../src/domain/Text.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { type LoadDriver, makeLoadDriver } from "../load/driver.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { idOf } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { SERVICE_SEEDING, seed } from "../seed/seed.ts"
import { residentMiB, SERVICE, startServer, temporaryFolder } from "../servers.ts"

/** Minimum products per second, as a multiple of the rate of single creates in the same run. */
const RATE = 5

/** Connections of the load of single creates. */
const CONNECTIONS = 16

/** Maximum resident memory of the import in MiB, for any file size. */
const MEMORY = 300

/** Maximum p99 of another store's reads during the import in milliseconds: a fifth of what an attack may cause. */
const AT_MOST = 20

const CLI = fileURLToPath(new URL("cli.js", import.meta.url))

/** Typical row of 0.4 KB. */
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

/** Writes a file of `rows` rows, and deletes it when the scope ends. */
export const writeImportFile = (rows: number): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "products.jsonl")
    const lines = Readable.from(Array.from({ length: rows }, (_, n) => n).values()).map(rowOf)
    yield* Effect.promise(() => pipeline(lines, createWriteStream(file)))
    return file
  })

/** Runs a command. Returns its seconds and maximum memory. */
export const runCli = (url: string, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [CLI, ...args], {
          stdio: "ignore",
          env: { PATH: process.env["PATH"], DATABASE_URL: url }
        })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    let memory = 0
    const sample = Effect.sync(() => {
      if (child.exitCode === null && child.pid !== undefined) memory = Math.max(memory, residentMiB(child.pid))
    })
    const sampling = yield* Effect.forkChild(Effect.forever(Effect.andThen(sample, Effect.sleep("100 millis"))))
    const [code] = yield* Effect.promise(() => once(child, "exit"))
    yield* Fiber.interrupt(sampling)
    if (code !== 0) return yield* Effect.die(new Error(`The command ended with ${code}`))
    return { seconds: (performance.now() - startedAt) / 1000, memory }
  }).pipe(Effect.scoped)

/** Imports a file into a new store. Returns its seconds and maximum memory. */
export const runImport = (url: string, store: number, file: string) =>
  Effect.gen(function* () {
    const db = yield* openConnection(url)
    const id = idOf("store", 0, store)
    yield* Effect.promise(() =>
      db.query("insert into stores (id, name, plan, currency_code) values ($1, 'Imported', 'scale', 'EUR')", [id])
    )
    return yield* runCli(url, ["import", "products", "--store", id, "--file", file, "--no-events"])
  }).pipe(Effect.scoped)

/** p99 of sequential reads of other stores, in milliseconds. */
const probeLatency = (drive: LoadDriver, port: number, millis: number) =>
  Effect.map(drive({ port, work: "listFew", connections: 1, requests: 0, millis }), ({ p99 }) => p99)

/** Measures the rate and memory of an import, and its effect on other stores. */
export const imports = (server: string, { importRows, roundMillis, rounds }: Options) =>
  Effect.gen(function* () {
    yield* begin("import", 5)
    yield* step("seeding")
    const url = yield* createDatabase(server, "import")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() => seed([[db, SERVICE_SEEDING]]))
    yield* Effect.promise(() => db.query("update plans set product_limit = 100000000"))
    yield* vacuumAndCheckpoint(db)
    const file = yield* writeImportFile(importRows)

    yield* step(`importing ${formatInteger(importRows)} products`)
    const alone = yield* runImport(url, 900, file)
    const printFigure = yield* openTable(["Figure", "Measured"])
    yield* printFigure({
      cells: [`Import of ${formatInteger(importRows)} products, a second`, (importRows / alone.seconds).toFixed(0)]
    })
    yield* vacuumAndCheckpoint(db)

    const drive = yield* makeLoadDriver
    yield* step("single creates")
    const load = { port, work: "create", connections: CONNECTIONS, requests: 0, millis: roundMillis } as const
    const { requests, seconds } = yield* Effect.andThen(drive(load), drive(load))
    const creates = requests / seconds
    yield* printFigure({ cells: ["Single creates, a second", creates.toFixed(0)] })
    yield* step("reads of other stores")
    yield* probeLatency(drive, port, roundMillis)
    const round = probeLatency(drive, port, roundMillis)
    const quiet = yield* Effect.replicateEffect(round, rounds)
    yield* printFigure({ cells: ["p99 of other stores' reads without an import, ms", medianOf(quiet).toFixed(1)] })
    yield* step("reads of other stores beside an import")
    const importing = yield* Effect.forkChild(runImport(url, 901, file))
    const loud = yield* Effect.replicateEffect(round, rounds)
    const isOver = importing.pollUnsafe() !== undefined
    const beside = yield* Fiber.join(importing)

    const lines = [
      boundLine(
        `Seconds of the import, against those at ${RATE} times the rate of single creates`,
        alone.seconds,
        importRows / (RATE * creates),
        "s",
        1
      ),
      boundLine("Resident memory of the import", Math.max(alone.memory, beside.memory), MEMORY, "MiB", 1),
      boundLine("p99 of the others' reads beside it", medianOf(loud), AT_MOST, "ms", 1)
    ]
    const printBound = yield* openTable(BOUND_HEADINGS)
    yield* Effect.forEach(lines, printBound)
    if (isOver)
      yield* printBound({
        cells: ["The import ended before the reads: run it with more rows (--full)", "", "", "", ""],
        reached: false
      })
  }).pipe(Effect.scoped)
