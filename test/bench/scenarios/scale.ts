import { ConfigProvider, type Context, Duration, Effect, Layer, Redacted } from "effect"
import type Pg from "pg"
import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { CellName } from "../../../src/domain/cells/Cells.ts"
import { Cells, type CellServices, InstallationLive } from "../../../src/layers/cells/Cells.ts"
import { Directory } from "../../../src/layers/cells/Directory.ts"
import { makeHousekeeping } from "../../../src/layers/Housekeeping.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { makeClaim } from "../../../src/layers/webhooks/Claims.ts"
import { replicatingServer } from "../database.ts"
import { sendRequests } from "../load/wire.ts"
import { cpuSeconds, databaseCpuSeconds, findPostmaster } from "../measure/cpu.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { copyTemplates, fillScale, templateRequests } from "../seed/scale.ts"
import { makeCells } from "../seed/scaleCells.ts"
import {
  addMeasuredStores,
  appToken,
  type Databases,
  type MeasuredStore,
  measuredStores,
  prepareAccounts,
  type Sizes,
  storeIdOf
} from "../seed/scaleStores.ts"
import { type MakeRequest, type Place, WORK } from "./scaleWork.ts"
import { begin, type Line, openTable, printLine, type PrintRow, rounds, step } from "../output.ts"
import { type RunningServer, SERVICE, startServer } from "../servers.ts"

/** Shares of everything at which the work is measured. Each has cells of its own. */
const SHARES = [0.01, 0.1, 1]

/** Maximum ratio of the cost at a share to that at the first. */
const AT_MOST = 1.5

const ROUNDS = 5
const CONNECTIONS = 4

/** Disk of a product with its keys, words and journal entry, and what must stay free. */
const PRODUCT_BYTES = 6_000
const FREE_BYTES = 15e9

/** Measures the CPU time of each of some requests, in microseconds. */
const measureCpu = async (pid: number, postmaster: number, times: number, run: () => Promise<unknown>) => {
  const cpu = () => cpuSeconds(pid) + databaseCpuSeconds(postmaster)
  const before = cpu()
  await run()
  return ((cpu() - before) * 1e6) / times
}

let sent = 0

const sendAll = async (port: number, store: MeasuredStore, make: MakeRequest, requests: number) => {
  let left = requests
  const next = () => (left-- > 0 ? make(store, sent++) : undefined)
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sendRequests({ port, next, answered: () => undefined })))
}

const call = (base: string, token: string, path: string, body: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": `make-${sent++}`
      },
      body: JSON.stringify(body)
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    const { data }: { data: { id: string } } = JSON.parse(text)
    return data.id
  })

/** Collection of one batch of products. */
const makeCollection = (base: string, { number }: MeasuredStore) =>
  call(base, appToken(number, 0), "/collections", {
    title: "One batch",
    rules: [{ field: "tags", relation: "equals", value: "batch-1" }]
  })

const positionOf = async (db: Pg.Client, { number, products }: MeasuredStore) => {
  const { rows } = await db.query<{ id: string }>(
    "select id from journal where store_id = $1 order by id offset $2 limit 1",
    [storeIdOf(number), Math.floor(products / 2)]
  )
  return rows[0]?.id ?? ""
}

/** CPU time of one kind of work at each share, in microseconds. */
interface Cost {
  readonly title: string
  readonly cpus: ReadonlyArray<number>
  /** Cost at each share as a multiple of that at the first, which was measured in the same round. */
  readonly ratios: ReadonlyArray<number>
}

const cpuAt = (cpus: ReadonlyArray<number>, index: number) => cpus[index] ?? Number.NaN

const lineOf = ({ cpus, ratios, title }: Cost): Line => {
  const ratio = Math.max(...ratios)
  const mayGrow = WORK.some((work) => work.mayGrow === true && title.startsWith(work.title))
  return {
    cells: [title, ...cpus.map((cpu) => cpu.toFixed(0)), ratio.toFixed(2), mayGrow ? "see docs" : String(AT_MOST)],
    ...(mayGrow ? {} : { reached: ratio <= AT_MOST })
  }
}

/** Measures some work at all shares in turn and prints its row, so that other load of the machine affects all alike. The first round warms up. */
const compare = Effect.fnUntraced(function* (
  printRow: PrintRow,
  title: string,
  works: ReadonlyArray<Effect.Effect<number>>
) {
  yield* step(title)
  const measured = (yield* rounds(ROUNDS + 1, () => Effect.all(works))).slice(1)
  const medians = (of: (cpus: ReadonlyArray<number>, index: number) => number) =>
    works.map((_, index) => medianOf(measured.map((cpus) => of(cpus, index))))
  const ratios = medians((cpus, index) => cpuAt(cpus, index) / cpuAt(cpus, 0))
  yield* printRow(lineOf({ title, cpus: medians(cpuAt), ratios }))
})

/** Filled cells, with a server for them. */
interface Installation {
  readonly main: string
  readonly settings: Readonly<Record<string, string>>
  readonly server: RunningServer
  readonly stores: ReadonlyArray<MeasuredStore & { readonly place: Place }>
}

/** Fills cells with a share of everything. The service creates the products that are copied. */
const install = Effect.fnUntraced(function* (cluster: string, sizes: Sizes, share: number) {
  const micros = (Date.now() - 86_400_000) * 1000
  const { dbs, main, settings } = yield* makeCells(cluster)
  yield* Effect.promise(() => prepareAccounts(dbs))
  yield* Effect.promise(() => addMeasuredStores(dbs, sizes))
  const collections = yield* Effect.gen(function* () {
    const { base } = yield* startServer(SERVICE, main, settings)
    for (const { product, token } of templateRequests(sizes)) yield* call(base, token, "/products", product)
    return yield* Effect.forEach(measuredStores(sizes, share), (store) => makeCollection(base, store))
  }).pipe(Effect.scoped)
  yield* Effect.promise(() => copyTemplates(dbs, sizes))
  const [took, stores] = yield* Effect.timed(fillScale(dbs, sizes, share, micros))
  yield* printLine(
    `${share * 100} %: ${stores.toLocaleString("en")} stores, filled in ${Duration.toSeconds(took).toFixed(0)} s`
  )
  yield* printLine(yield* Effect.promise(() => describeFill(dbs)))
  const placed = yield* Effect.forEach(measuredStores(sizes, share), (store, index) =>
    Effect.promise(async () => ({
      ...store,
      place: { position: await positionOf(dbs.north, store), collection: collections[index] ?? "" }
    }))
  )
  return { dbs, main, settings, stores: placed }
})

/** Measures requests to the servers of all shares. */
const measureRequests = Effect.fnUntraced(function* (
  installations: ReadonlyArray<Installation>,
  postmaster: number,
  requests: number,
  printRow: PrintRow
) {
  for (const { make, title } of WORK) {
    for (const [index, { title: which }] of installations[0]?.stores.entries() ?? []) {
      const works = installations.flatMap(({ server, stores }) => {
        const store = stores[index]
        if (store === undefined) return []
        const run = () => sendAll(server.port, store, make(store.place), requests)
        return [Effect.promise(() => measureCpu(server.pid, postmaster, requests, run))]
      })
      yield* compare(printRow, `${title}, ${which} store`, works)
    }
  }
})

/** Work that is not a request. */
const INSIDE = ["Directory: first use of a store", "Claim of 16 deliveries", "Round of housekeeping"] as const

/** Builds what is not a request in this process: in the cell of the largest store. */
const buildInside = Effect.fnUntraced(function* ({ main, settings }: Installation, postmaster: number, sizes: Sizes) {
  const run = (times: number, work: Effect.Effect<unknown>) =>
    Effect.promise(() =>
      measureCpu(process.pid, postmaster, times, () => Effect.runPromise(Effect.replicateEffect(work, times)))
    )
  const installation = yield* Layer.build(
    InstallationLive.pipe(
      Layer.provideMerge(postgres({ url: Redacted.make(main), maxConnections: 10 })),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: settings, preserveEmptyStrings: true })))
    )
  )
  return yield* Effect.gen(function* () {
    const { servicesOf } = yield* Cells
    const { cellOf } = yield* Directory
    const north: Context.Context<CellServices> = yield* servicesOf(CellName.make("north"))
    const [claim, round] = yield* Effect.provideContext(Effect.all([makeClaim, makeHousekeeping]), north)
    let looked = 0
    const lookUp = Effect.suspend(() => cellOf(storeIdOf((looked++ * 7919) % (sizes.stores * 100))))
    return {
      "Directory: first use of a store": run(1000, lookUp),
      "Claim of 16 deliveries": run(40, Effect.provideContext(claim(16, new Map()), north)),
      "Round of housekeeping": run(10, Effect.provideContext(round, north))
    }
  }).pipe(Effect.provideContext(installation))
})

const describeFill = async (dbs: Databases) => {
  const parts = []
  for (const [cell, db] of Object.entries(dbs)) {
    const { rows } = await db.query<{ text: string; bytes: number; products: number }>(`
      select pg_database_size(current_database())::float8 as bytes, n as products,
        (select count(*) from stores) || ' stores, ' || n || ' products, '
        || (select count(*) from journal) || ' journal entries, '
        || (select count(*) from deliveries) || ' deliveries' as text
      from (select count(*)::integer as n from products) counted
    `)
    const [{ bytes, products, text } = { bytes: 0, products: 0, text: "" }] = rows
    parts.push({ line: `  ${cell}: ${text}, ${(bytes / 1e9).toFixed(2)} GB`, bytes, products })
  }
  const [bytes, products] = [parts.reduce((n, one) => n + one.bytes, 0), parts.reduce((n, one) => n + one.products, 0)]
  return `${parts.map(({ line }) => line).join("\n")}\n  together ${products.toLocaleString("en")} products, ${(bytes / 1e9).toFixed(1)} GB`
}

/** Reduces the products to what the disk has room for. */
const fitToDisk = (sizes: Sizes): Sizes => {
  const { bavail, bsize } = statfsSync(tmpdir())
  const shares = SHARES.reduce((sum, share) => sum + share, 0)
  const room = Math.floor((bavail * bsize - FREE_BYTES) / PRODUCT_BYTES / shares)
  const part = Math.min(1, room / sizes.products)
  return { ...sizes, products: Math.floor(sizes.products * part), largest: Math.floor(sizes.largest * part) }
}

/** Measures how the cost of each kind of work grows with the number of stores and their products, in four cells. */
export const scale = (_: string, options: Options) =>
  Effect.gen(function* () {
    const sizes = fitToDisk(options.scale)
    yield* begin("scale", SHARES.length + WORK.length * measuredStores(sizes, 1).length + INSIDE.length)
    if (sizes.products < options.scale.products)
      yield* printLine(`The disk has room for ${sizes.products.toLocaleString("en")} products.`)
    const cluster = yield* replicatingServer
    const filled = yield* Effect.forEach(SHARES, (share) =>
      Effect.andThen(step(`filling ${share * 100} %`), install(cluster, sizes, share))
    )
    const postmaster = yield* Effect.promise(async () => (filled[0] ? findPostmaster(filled[0].dbs.main) : undefined))
    if (postmaster === undefined)
      return yield* Effect.die(new Error("/proc does not show the processes of the database"))
    const installations = yield* Effect.forEach(filled, (one) =>
      Effect.map(startServer(SERVICE, one.main, one.settings), (server) => ({ ...one, server }))
    )
    const requests = options.roundMillis > 1000 ? 300 : 150
    const printRow = yield* openTable(["CPU µs", ...SHARES.map((share) => `${share * 100} %`), "Ratio", "At most"])
    yield* measureRequests(installations, postmaster, requests, printRow)
    const inside = yield* Effect.forEach(installations, (one) => buildInside(one, postmaster, sizes))
    for (const title of INSIDE) {
      yield* compare(
        printRow,
        title,
        inside.map((works) => works[title])
      )
    }
  }).pipe(Effect.scoped)
