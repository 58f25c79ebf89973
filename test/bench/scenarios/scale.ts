import { ConfigProvider, type Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
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
import { allReached, formatTable, type Line } from "../measure/report.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { copyTemplates, fillScale, templateRequests } from "../seed/scale.ts"
import { makeCells } from "../seed/scaleCells.ts"
import {
  addMeasuredStores,
  appToken,
  controlStore,
  type Databases,
  type MeasuredStore,
  measuredStores,
  prepareAccounts,
  type Sizes,
  storeIdOf
} from "../seed/scaleStores.ts"
import { firstPage, type MakeRequest, WORK } from "./scaleWork.ts"
import { printLine } from "../serverPair.ts"
import { SERVICE, startServer } from "../servers.ts"

/** Shares of everything after which the work is measured. */
const SHARES = [0.01, 0.1, 1]

/** Maximum ratio of the cost at a share to that at the first. */
const AT_MOST = 1.5

const ROUNDS = 3

/** Statements of a round of the control of work inside of the process. */
const CONTROLS = 500
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

/** CPU time of some work, and that of the control at the same moment, in microseconds. */
interface Figure {
  readonly cpu: number
  readonly control: number
}

/** Figures of each kind of work, a list for each share. */
type Costs = Map<string, Array<ReadonlyArray<Figure>>>

const note = (costs: Costs, title: string, figures: ReadonlyArray<Figure>) =>
  void costs.set(title, [...(costs.get(title) ?? []), figures])

/** Measures rounds of some work after rounds of the control, whose cost should stay the same. The first round warms up. */
const measureRounds = (control: Effect.Effect<number>, work: Effect.Effect<number>) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.gen(function* () {
        return { control: yield* control, cpu: yield* work } satisfies Figure
      }),
      ROUNDS + 1
    ),
    (figures) => figures.slice(1)
  )

const inProcess = (postmaster: number, times: number, work: Effect.Effect<unknown>) =>
  Effect.promise(() =>
    measureCpu(process.pid, postmaster, times, () => Effect.runPromise(Effect.replicateEffect(work, times)))
  )

/** Measures what is not a request: in the cell of the largest store, in this process. */
const measureInside = (
  main: string,
  settings: Readonly<Record<string, string>>,
  costs: Costs,
  postmaster: number,
  sizes: Sizes
) => {
  const inCell = Effect.gen(function* () {
    const claim = yield* makeClaim
    const round = yield* makeHousekeeping
    const sql = yield* SqlClient.SqlClient
    return { claim, round, control: Effect.orDie(sql`select 1`) }
  })
  return Effect.gen(function* () {
    const services: Context.Context<CellServices> = yield* Effect.flatMap(Cells, ({ servicesOf }) =>
      servicesOf(CellName.make("north"))
    )
    const { claim, control, round } = yield* Effect.provideContext(inCell, services)
    const { cellOf } = yield* Directory
    let looked = 0
    const lookUp = Effect.suspend(() => cellOf(storeIdOf((looked++ * 7919) % (sizes.stores * 100))))
    const work = [
      ["Directory: first use of a store", 1000, lookUp],
      ["Claim of 16 deliveries", 10, Effect.provideContext(claim(16, new Map()), services)],
      ["Round of housekeeping", 5, Effect.provideContext(round, services)]
    ] as const
    for (const [title, times, effect] of work) {
      note(
        costs,
        title,
        yield* measureRounds(inProcess(postmaster, CONTROLS, control), inProcess(postmaster, times, effect))
      )
    }
  }).pipe(
    Effect.provide(
      InstallationLive.pipe(
        Layer.provideMerge(postgres({ url: Redacted.make(main), maxConnections: 10 })),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: settings, preserveEmptyStrings: true })))
      )
    ),
    Effect.scoped
  )
}

/** Deletes what the measurement created, and finishes what it claimed: leases would end during the next one. */
const cleanUp = async (db: Pg.Client, stores: ReadonlyArray<MeasuredStore>) => {
  const made = "store_id = any($1) and sku like 'made-%'"
  await db.query(
    `with gone as (delete from product_keys where ${made} returning store_id, id)
     delete from products p using gone where p.store_id = gone.store_id and p.id = gone.id`,
    [stores.map(({ number }) => storeIdOf(number))]
  )
  await db.query(
    "update deliveries set outcome = 'delivered', finished_at = now(), lease = null where lease is not null"
  )
}

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
  const room = Math.floor((bavail * bsize - FREE_BYTES) / PRODUCT_BYTES)
  const part = Math.min(1, room / sizes.products)
  return { ...sizes, products: Math.floor(sizes.products * part), largest: Math.floor(sizes.largest * part) }
}

const report = (costs: Costs): ReadonlyArray<Line> =>
  [...costs].map(([title, shares]) => {
    const cpus = shares.map((figures) => medianOf(figures.map(({ cpu }) => cpu)))
    const controls = shares.map((figures) => medianOf(figures.map(({ control }) => control)))
    const relative = shares.map((figures) => medianOf(figures.map(({ control, cpu }) => cpu / control)))
    const ratio = Math.max(...relative) / (relative[0] ?? Number.NaN)
    const mayGrow = WORK.some((work) => work.mayGrow === true && title.startsWith(work.title))
    return {
      cells: [
        title,
        ...cpus.map((cpu, index) => `${cpu.toFixed(0)} (${controls[index]?.toFixed(0)})`),
        ratio.toFixed(2),
        mayGrow ? "see docs" : String(AT_MOST)
      ],
      ...(mayGrow ? {} : { reached: ratio <= AT_MOST })
    }
  })

/** Measures how the cost of each kind of work grows with the number of stores and their products, in four cells. */
export const scale = (_: string, options: Options) =>
  Effect.gen(function* () {
    const sizes = fitToDisk(options.scale)
    if (sizes.products < options.scale.products)
      yield* printLine(`The disk has room for ${sizes.products.toLocaleString("en")} products.`)
    const { dbs, main, settings } = yield* makeCells(yield* replicatingServer)
    const postmaster = yield* Effect.promise(() => findPostmaster(dbs.main))
    if (postmaster === undefined)
      return yield* Effect.die(new Error("/proc does not show the processes of the database"))
    const micros = (Date.now() - 86_400_000) * 1000
    yield* Effect.promise(() => prepareAccounts(dbs))
    yield* Effect.promise(() => addMeasuredStores(dbs, sizes))
    const control = controlStore(sizes)
    const requests = options.roundMillis > 1000 ? 300 : 150
    const collections = new Map<number, string>()
    const costs: Costs = new Map()
    for (const [step, share] of SHARES.entries()) {
      if (step === 0) {
        yield* Effect.gen(function* () {
          const { base } = yield* startServer(SERVICE, main, settings)
          for (const { product, token } of templateRequests(sizes)) yield* call(base, token, "/products", product)
          for (const store of measuredStores(sizes, share)) {
            collections.set(store.number, yield* makeCollection(base, store))
          }
        }).pipe(Effect.scoped)
        yield* Effect.promise(() => copyTemplates(dbs, sizes))
      }
      const startedAt = performance.now()
      const stores = yield* fillScale(dbs, sizes, SHARES[step - 1] ?? 0, share, micros)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
      yield* printLine(`${share * 100} %: ${stores.toLocaleString("en")} stores, filled in ${seconds} s`)
      yield* printLine(yield* Effect.promise(() => describeFill(dbs)))
      yield* Effect.gen(function* () {
        const { pid, port } = yield* startServer(SERVICE, main, settings)
        for (const { make, title } of WORK) {
          for (const store of measuredStores(sizes, share)) {
            const position = yield* Effect.promise(() => positionOf(dbs.north, store))
            const request = make({ position, collection: collections.get(store.number) ?? "" })
            const measure = (which: MeasuredStore, make: MakeRequest) =>
              Effect.promise(() => measureCpu(pid, postmaster, requests, () => sendAll(port, which, make, requests)))
            const figures = yield* measureRounds(measure(control, firstPage), measure(store, request))
            note(costs, `${title}, ${store.title} store`, figures)
          }
        }
      }).pipe(Effect.scoped)
      yield* measureInside(main, settings, costs, postmaster, sizes)
      yield* Effect.promise(() => cleanUp(dbs.north, measuredStores(sizes, share)))
    }
    const lines = report(costs)
    const headings = ["CPU µs (of the control)", ...SHARES.map((share) => `${share * 100} %`), "Ratio", "At most"]
    yield* printLine(`\n${formatTable(headings, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
