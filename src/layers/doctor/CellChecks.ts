import { Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SERVED } from "../access/Stores.ts"
import { type CellSettings, cellSettings } from "../cells/CellSettings.ts"
import { slotOf, subscriptionOf } from "../cells/GlobalTables.ts"
import { findLackOfWorkers } from "../cells/Subscriptions.ts"
import { databaseOptions } from "../DatabaseConfig.ts"
import { compareSchema } from "../Migrations.ts"
import { type DatabaseSource, explainDatabaseError } from "../sql/DatabaseFailed.ts"
import { type GlobalDatabase, postgres } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { type Check, checkNamed } from "./Check.ts"
import { checkServer } from "./DatabaseChecks.ts"

/** Bytes of WAL that a cell or a standby may be behind: some minutes of a busy server. */
const LAG_WARNING = 64 * 1024 ** 2

/** Time for all checks of one address. A migration may lock a table that they read. */
const TIMEOUT = "15 seconds"

const readIdentity = requiredRowReader(
  Schema.Struct({ system: Schema.String, database: Schema.String, isStandby: Schema.Boolean })
)
const readServer = requiredRowReader(Schema.Struct({ level: Schema.String, slots: Schema.Int, senders: Schema.Int }))
const readSubscription = rowReader(Schema.Struct({ isEnabled: Schema.Boolean, copying: Schema.Int }))
const readSlot = rowReader(
  Schema.Struct({ isActive: Schema.Boolean, status: Schema.NullOr(Schema.String), lag: Schema.NullOr(Schema.Number) })
)

/** Connects to an address, checks it, and turns a failure into a problem. */
const at = <E>(
  check: string,
  source: DatabaseSource,
  work: Effect.Effect<ReadonlyArray<Check>, E, SqlClient.SqlClient | GlobalDatabase>
) =>
  work.pipe(
    Effect.provide(postgres({ url: source.url, maxConnections: 1, withoutTimeouts: true })),
    Effect.timeout(TIMEOUT),
    Effect.mapError(explainDatabaseError(source)),
    Effect.catch(({ message }) => Effect.succeed([checkNamed(check).problem(message)]))
  )

const identity = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  readIdentity(sql`
      select (select system_identifier::text from pg_control_system()) as system, current_database()::text as database,
        pg_is_in_recovery() as "isStandby"
    `)
)

type Identity = Effect.Success<typeof identity>

const isSame = (a: Identity, b: Identity) => a.system === b.system && a.database === b.database

/** Checks that the address for reads is a standby of the primary. */
const checkRead = (name: string, url: Redacted.Redacted, primary: Identity) => {
  const check = name.toLowerCase().replaceAll("_", " ").replace(/ url$/, "")
  const { ok, problem } = checkNamed(check)
  return at(
    check,
    { name, url },
    Effect.map(identity, (found) => {
      if (!isSame(found, primary)) {
        return [problem(`${name}: another database than that of the primary. Set it to a standby of the same server`)]
      }
      return [
        found.isStandby
          ? ok(`${name} is a standby of the primary`)
          : problem(`${name}: not a standby. Set it to a standby, or leave it out`)
      ]
    })
  )
}

/** Checks that `main` can keep changes for all cells. */
const checkSource = Effect.fnUntraced(function* (cells: number) {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem, warning } = checkNamed("replication")
  const { level, senders, slots } = yield* readServer(sql`
    select current_setting('wal_level') as level, current_setting('max_replication_slots')::integer as slots,
      current_setting('max_wal_senders')::integer as senders
  `)
  if (level !== "logical")
    return problem(`The server of main has wal_level = ${level}. Set it to logical, and restart it`)
  if (slots < cells || senders < cells) {
    return problem(
      `The server of main has max_replication_slots = ${slots} and max_wal_senders = ${senders} for ${cells} cells. Raise both above the number of cells`
    )
  }
  // A move of a store takes one slot more.
  return slots === cells || senders === cells
    ? warning(`All slots or walsenders of main are for cells. Raise max_replication_slots and max_wal_senders`)
    : ok("The server of main has logical WAL, and slots for all cells")
})

/** Checks the slot of a cell in `main`. */
const checkSlot = Effect.fnUntraced(function* (cell: CellSettings) {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem, warning } = checkNamed(`cell ${cell.name}`)
  const slot = yield* readSlot(sql`
    select active as "isActive", wal_status as status,
      pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 as lag
    from pg_replication_slots where slot_name = ${yield* slotOf(sql, cell.name)}
  `)
  const add = `Run: partner-api cells add ${cell.name}`
  if (Option.isNone(slot)) return problem(`main keeps no changes for it. ${add}`)
  const { isActive, lag, status } = slot.value
  if (status === "lost") return problem(`main has deleted changes that it did not receive. ${add}`)
  const text = `It is ${Math.ceil((lag ?? 0) / 1024 ** 2)} MiB behind main`
  if (!isActive) return problem(`${text} and not connected to it. See the log of its server`)
  return lag !== null && lag > LAG_WARNING ? warning(`${text}. See the log of its server`) : ok(text)
})

const readNamed = rowsReader(Schema.Struct({ id: Schema.String, cell: Schema.String }))
const readMoving = rowsReader(Schema.Struct({ id: Schema.String }))
const readServed = rowsReader(Schema.Struct({ id: Schema.String }))

/** Reads the directory, without stores that are moving: those have rows in two cells. */
const readPlaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const named = yield* readNamed(sql`select store_id::text as id, cell from directory order by store_id`)
  const moving = yield* readMoving(sql`select store_id::text as id from store_moves where state <> 'cleaned'`)
  return {
    cellOf: new Map(named.map(({ cell, id }) => [id, cell] as const)),
    moving: new Set(moving.map(({ id }) => id))
  }
})

type StorePlaces = Effect.Success<typeof readPlaces>

/** Number of stores that a message names. */
const MAX_NAMED = 5

const someOf = (ids: ReadonlyArray<string>) =>
  `${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : ""}`

/** Compares the stores of a cell with the directory of main. They differ after one of both was restored to an earlier moment. */
const checkStores = Effect.fnUntraced(function* ({ name }: CellSettings, { cellOf, moving }: StorePlaces) {
  const sql = yield* SqlClient.SqlClient
  const { problem } = checkNamed(`cell ${name}`)
  const served = yield* readServed(sql`select s.id::text as id from stores s where ${SERVED} order by s.id`)
  const here = new Set(served.map(({ id }) => id))
  const unnamed = [...here].filter((id) => cellOf.get(id) !== name && !moving.has(id))
  const missing = [...cellOf].flatMap(([id, cell]) => (cell === name && !here.has(id) && !moving.has(id) ? [id] : []))
  return [
    ...(unnamed.length === 0
      ? []
      : [
          problem(
            `The directory of main does not name it for stores that it has: ${someOf(unnamed)}. Run for each: partner-api stores adopt <store> --cell ${name}`
          )
        ]),
    ...(missing.length === 0
      ? []
      : [
          problem(
            `It does not have stores for which the directory of main names it: ${someOf(missing)}. Restore them from a backup, or adopt them in the cell that has them`
          )
        ])
  ]
})

/** Checks the database of a cell, and that it receives the global tables. */
const checkCell = Effect.fnUntraced(function* (
  cell: CellSettings,
  source: DatabaseSource,
  places: Option.Option<StorePlaces>
) {
  const { ok, problem, warning } = checkNamed(`cell ${cell.name}`)
  const sql = yield* SqlClient.SqlClient
  const server = yield* checkServer(source, `cell ${cell.name}`)
  if (server.status === "problem") return [server]
  const { conflict, missing, newer } = yield* compareSchema(sql)
  if (Option.isSome(conflict)) return [server, problem(`${conflict.value.message}. ${conflict.value.remedy}`)]
  if (missing.length > 0) return [server, warning(`${missing.length} migrations are missing. Run: partner-api migrate`)]
  const schema =
    newer > 0
      ? warning(`The schema is ${newer} migrations ahead of this release. Install the release that migrated it`)
      : ok("The schema is that of this release")
  const lack = yield* findLackOfWorkers(sql)
  const stores = [
    ...(Option.isSome(places) ? yield* checkStores(cell, places.value) : []),
    ...(Option.isSome(lack) ? [warning(`Its server has ${lack.value}`)] : [])
  ]
  const subscription = yield* readSubscription(sql`
    select s.subenabled as "isEnabled", (
      select count(*)::integer from pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate <> 'r'
    ) as copying
    from pg_subscription s join pg_database d on d.oid = s.subdbid
    where s.subname = ${subscriptionOf(cell.name)} and d.datname = current_database()
  `)
  const add = `Run: partner-api cells add ${cell.name}`
  if (Option.isNone(subscription)) return [server, schema, ...stores, problem(`It receives no global tables. ${add}`)]
  const { copying, isEnabled } = subscription.value
  if (!isEnabled) {
    return [
      server,
      schema,
      ...stores,
      problem(`Its subscription is disabled. Run on it: alter subscription ${subscriptionOf(cell.name)} enable`)
    ]
  }
  return [
    server,
    schema,
    ...stores,
    copying > 0
      ? warning(`${copying} global tables are still being copied. ${add}`)
      : ok("It receives the global tables")
  ]
})

/** Checks all addresses of a cell. */
const checkAddresses = Effect.fnUntraced(function* (cell: CellSettings, places: Option.Option<StorePlaces>) {
  const { directUrl, name, readUrl, setting, url } = cell
  const check = `cell ${name}`
  const pooled = { name: setting, url }
  const direct = directUrl === undefined ? pooled : { name: setting.replace(/_URL$/, "_DIRECT_URL"), url: directUrl }
  const found = yield* at(check, direct, checkCell(cell, direct, places))
  if (found.some(({ status }) => status === "problem") && found.length === 1) return found
  const primary = yield* Effect.option(
    Effect.provide(identity, postgres({ url: direct.url, maxConnections: 1 })).pipe(Effect.timeout(TIMEOUT))
  )
  if (Option.isNone(primary)) return found
  const through =
    directUrl === undefined
      ? []
      : yield* at(
          check,
          pooled,
          Effect.map(identity, (one) =>
            isSame(one, primary.value)
              ? []
              : [
                  checkNamed(check).problem(
                    `${setting} and ${direct.name} are different databases. Correct one of them`
                  )
                ]
          )
        )
  const read =
    readUrl === undefined ? [] : yield* checkRead(setting.replace(/_URL$/, "_READ_URL"), readUrl, primary.value)
  return [...found, ...through, ...read]
})

/** Checks the cells and the addresses for reads. Without them there is no result. */
export const checkCells = Effect.gen(function* () {
  const options = yield* databaseOptions
  const cells = yield* cellSettings
  const main = options.directUrl === undefined ? options : { name: "DATABASE_DIRECT_URL", url: options.directUrl }
  const { readUrl } = options
  const ofMain = yield* at(
    "replication",
    main,
    Effect.gen(function* () {
      const reads = readUrl === undefined ? [] : yield* checkRead("DATABASE_READ_URL", readUrl, yield* identity)
      if (cells.length === 0) return reads
      return [...reads, yield* checkSource(cells.length), ...(yield* Effect.forEach(cells, checkSlot))]
    })
  )
  const places =
    cells.length === 0
      ? Option.none()
      : yield* Effect.option(
          Effect.provide(readPlaces, postgres({ url: main.url, maxConnections: 1 })).pipe(Effect.timeout(TIMEOUT))
        )
  const ofCells = yield* Effect.forEach(cells, (cell) => checkAddresses(cell, places))
  return [...ofMain, ...ofCells.flat()]
}).pipe(
  Effect.scoped,
  Effect.catch(({ message }) => Effect.succeed([checkNamed("cells").problem(message)]))
)
