import { Effect, Option, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { Email } from "../../domain/access/Merchants.ts"
import { type ObjectKey, ObjectStorage, type StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { insertMerchant } from "../access/Merchants.ts"
import { HashCost, makeDummyHash } from "../access/Passwords.ts"
import { newKey } from "../media/Objects.ts"
import { ObjectStorageLive } from "../media/ObjectStorage.ts"
import { receiveBytes } from "../media/Receiving.ts"
import { storageFailure } from "../media/StorageFailure.ts"
import { BackupFailed } from "../postgres/BackupFiles.ts"
import { plainArray, textArray } from "../sql/ArrayLiterals.ts"
import { orDefectExcept } from "../sql/Errors.ts"
import { SnapshotConnections } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import type { BackupPart, Manifest } from "./BackupStream.ts"
import { streamBackup } from "./BackupStream.ts"
import { keepTransaction, keptAlive } from "./Session.ts"
import type { Progress } from "./StoreExport.ts"
import { insertLines, listTables } from "./StoreTables.ts"

export interface RestoreRequest {
  readonly file: string
  /** Leaves out installations of apps that do not exist here, with their data. */
  readonly withoutApps: boolean
  /** Sends the deliveries that were pending. Otherwise they are canceled, because the original may have sent them. */
  readonly resumesDeliveries: boolean
}

type Refusal = Effect.Effect<never, BackupFailed>

const refuse = (message: string): Refusal => Effect.fail(new BackupFailed({ message }))

const readMigrations = requiredRowReader(Schema.Struct({ names: Schema.Array(Schema.String) }))
const readLock = requiredRowReader(Schema.Struct({ isLocked: Schema.Boolean }))
const readStore = rowReader(Schema.Struct({ isDeleted: Schema.Boolean }))
const readClock = requiredRowReader(Schema.Struct({ micros: Schema.NumberFromString }))
const readIds = rowsReader(Schema.Struct({ id: Schema.String }))
const readAccounts = rowsReader(Schema.Struct({ id: Schema.String, email: Schema.String, isClaimed: Schema.Boolean }))
const readInserted = requiredRowReader(Schema.Struct({ count: Schema.Int }))

/** Reads the whole file. Returns the manifest if the file is complete and intact. */
const verify = Effect.fnUntraced(function* (file: string) {
  const seen: { manifest?: Manifest } = {}
  yield* Stream.runForEach(streamBackup(file), (part) =>
    Effect.sync(() => {
      if (part.kind === "manifest") seen.manifest = part.manifest
    })
  )
  return seen.manifest ?? (yield* refuse(`${file} has no manifest; use another backup`))
})

/** Fails unless the rows of the backup fit to this database. */
const checkTarget = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { migrations, newest, plan, store }: Manifest
) {
  const { names } = yield* readMigrations(
    sql`select json_agg(name || ' ' || left(hash, 8) order by migration_id) as names from effect_sql_migrations`
  )
  const place = migrations.findIndex((name, index) => names[index] !== name)
  if (place >= 0 || names.length !== migrations.length) {
    return yield* refuse(
      `The backup has the schema ${migrations.at(-1)} with ${migrations.length} migrations, and this database has ${names.at(-1)} with ${names.length}; restore it with the release that created it, then migrate`
    )
  }
  const { isLocked } = yield* readLock(
    sql`select pg_try_advisory_xact_lock(72102, hashtext(${store.id})) as "isLocked"`
  )
  if (!isLocked) return yield* refuse(`Another command restores store ${store.id}; wait for its end`)
  const existing = yield* readStore(
    sql`select deleted_at is not null as "isDeleted" from stores where id = ${store.id}`
  )
  if (Option.isSome(existing)) {
    return yield* refuse(
      existing.value.isDeleted
        ? `Store ${store.id} was deleted here, and its rows stay in the database; restore it into another database`
        : `Store ${store.id} exists; restore it into another database`
    )
  }
  const plans = yield* sql`select from plans where name = ${plan.name}`
  if (plans.length === 0) {
    return yield* refuse(
      `Plan ${plan.name} is missing; create it: plans create --name ${plan.name} --products ${plan.productLimit} --collections ${plan.collectionLimit} --media-mib ${Math.ceil(plan.mediaLimit / 1024 ** 2)}`
    )
  }
  const { micros } = yield* readClock(sql`select clock_micros()::text as micros`)
  if (micros <= newest) {
    return yield* refuse(
      `The clock of the database is ${Math.ceil((newest - micros) / 1e6)} s behind the newest id of the store; set the clock, or wait`
    )
  }
})

/** Finds the installations whose app or its price is missing. Fails if there is one, unless they are left out. */
const findExcluded = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { apps, installations }: Manifest,
  withoutApps: boolean
) {
  const known = new Set(
    (yield* readIds(sql`
      select id from apps where id = any(${plainArray(apps.map(({ id }) => id))}::uuid[])
      union all
      select id from app_plans where id = any(${plainArray(installations.flatMap(({ planIds }) => planIds))}::uuid[])
    `)).map(({ id }) => id)
  )
  const excluded = installations.filter(({ appId, planIds }) => ![appId, ...planIds].every((id) => known.has(id)))
  if (excluded.length > 0 && !withoutApps) {
    const names = apps.filter(({ id }) => excluded.some(({ appId }) => appId === id))
    const listed = names.map(({ id, name }) => `${name} (${id}${known.has(id) ? ", without its prices" : ""})`)
    return yield* refuse(
      `Apps of the store are missing here: ${listed.join(", ")}; create them with these ids, or leave out their installations with --without-apps`
    )
  }
  return excluded.map(({ id }) => id)
})

/**
 * Matches the accounts by their e-mail address, and creates missing ones without a password. An address that a stranger may
 * have entered at sign-up does not become a member. Returns the ids to replace, and the addresses of created accounts.
 */
const matchAccounts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { accounts }: Manifest) {
  const found = yield* readAccounts(sql`
    select id, email, is_claimed as "isClaimed" from merchants
    where email = any(${textArray(accounts.map(({ email }) => email))}::text[])
  `)
  const byEmail = new Map(found.map((account) => [account.email, account]))
  const claimed = accounts.filter(({ email, isMember }) => isMember && byEmail.get(email)?.isClaimed === true)
  if (claimed.length > 0) {
    return yield* refuse(
      `The owner of these addresses is not verified here: ${claimed.map(({ email }) => email).join(", ")}; let them choose a password: merchants reset-link`
    )
  }
  const cost = yield* HashCost
  const ids = new Map<string, string>()
  const created: Array<string> = []
  for (const { email, id, name } of accounts) {
    const existing = byEmail.get(email)
    if (existing === undefined) created.push(email)
    const own =
      existing?.id ??
      (yield* insertMerchant(sql, {
        email: Email.make(email),
        name,
        passwordHash: makeDummyHash(cost),
        isClaimed: false
      }).pipe(Effect.catchTag("EmailTaken", () => refuse(`Somebody has just registered ${email}; restore again`))))
    if (own !== id) ids.set(id, own)
  }
  return { ids, created }
})

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const KEY = /[0-9a-f]{64}-[0-9a-f]{16}/g

/** Tables with keys of objects. */
const KEYED: ReadonlySet<string> = new Set(["media_objects", "media_sizes"])

/** Values of pending deliveries that are not resumed. */
const CANCELED: Readonly<Record<string, (expression: string) => string>> = {
  outcome: (expression) => `coalesce(${expression}, 'canceled')`,
  finished_at: (expression) => `coalesce(${expression}, statement_timestamp())`,
  lease: () => "null"
}

/**
 * Restores a store from a file. All rows are inserted in one transaction, which commits when the bytes of all objects are
 * stored. Objects get new keys: another database may use the same storage. A failure deletes them.
 */
export const restoreStore = Effect.fn("restoreStore")(
  function* ({ file, resumesDeliveries, withoutApps }: RestoreRequest, progress: Progress) {
    const manifest = yield* verify(file)
    const { store } = manifest
    progress.total = Object.values(manifest.rows).reduce((sum, count) => sum + count, manifest.objects.count)
    const { open } = yield* SnapshotConnections
    const storage = yield* ObjectStorage
    const sql = yield* orDefectExcept<never>()(open)
    const keys = new Map<string, ObjectKey>()
    const stored: Array<ObjectKey> = []
    const counts = { rows: 0, objects: 0 }

    const keyOf = (key: string) => {
      const known = keys.get(key)
      if (known !== undefined) return known
      const made = newKey(key.slice(0, key.indexOf("-")))
      keys.set(key, made)
      return made
    }

    const change = (table: string, column: string, expression: string) =>
      (table === "deliveries" && !resumesDeliveries ? CANCELED[column]?.(expression) : undefined) ?? expression

    const putObject = Effect.fnUntraced(function* ({ bytes, key }: Extract<BackupPart, { kind: "object" }>) {
      const { path } = yield* receiveBytes(store.id, Stream.fromAsyncIterable(bytes, storageFailure)).pipe(
        Effect.catchTag(["FileEmpty", "FileTooLarge"], ({ message }) => refuse(`Object ${key}: ${message}`))
      )
      const own = keyOf(key)
      stored.push(own)
      yield* storage.put(own, path)
      counts.objects++
      progress.done++
    }, Effect.scoped)

    const restoreAll = Effect.gen(function* () {
      yield* keepTransaction(sql)
      yield* checkTarget(sql, manifest)
      const excluded = yield* findExcluded(sql, manifest, withoutApps)
      const { created, ids } = yield* matchAccounts(sql, manifest)
      const tables = new Map((yield* listTables(sql)).map((table) => [table.name, table]))

      const insertRows = Effect.fnUntraced(function* ({
        columns,
        lines,
        table
      }: Extract<BackupPart, { kind: "rows" }>) {
        const known = tables.get(table)
        if (known === undefined)
          return yield* refuse(`Table ${table} of the backup is unknown; use the release that created it`)
        const json = `[${lines.join(",")}]`
        const withAccounts = ids.size === 0 ? json : json.replace(UUID, (id) => ids.get(id) ?? id)
        const rows = KEYED.has(table) ? withAccounts.replace(KEY, keyOf) : withAccounts
        const { count } = yield* readInserted(
          sql.unsafe(
            `with inserted as (${insertLines(known, columns, change)} returning 1) select count(*)::integer as count from inserted`,
            [rows, plainArray(excluded)]
          )
        )
        counts.rows += count
        progress.done += lines.length
      })

      yield* keptAlive(
        sql,
        Stream.runForEach(
          streamBackup(file),
          Effect.fnUntraced(function* (part) {
            if (part.kind === "rows") yield* insertRows(part)
            if (part.kind === "object") yield* putObject(part)
          })
        )
      )
      return { excluded, created }
    }).pipe(
      Effect.onError(() => Effect.forEach(stored, (key) => Effect.ignore(storage.delete(key)), { discard: true }))
    )

    const { created, excluded } = yield* sql
      .withTransaction(Effect.interruptible(restoreAll))
      .pipe(orDefectExcept<BackupFailed | StorageUnavailable>())
    const pending = manifest.installations
      .filter(({ id }) => !excluded.includes(id))
      .reduce((sum, { pendingDeliveries }) => sum + pendingDeliveries, 0)
    return {
      storeId: store.id,
      name: store.name,
      createdAt: manifest.createdAt,
      ...counts,
      leftOut: manifest.apps
        .filter(({ id }) => manifest.installations.some((one) => one.appId === id && excluded.includes(one.id)))
        .map(({ name }) => name),
      createdAccounts: created,
      deliveriesResumed: resumesDeliveries ? pending : 0,
      deliveriesCanceled: resumesDeliveries ? 0 : pending
    }
  },
  Effect.scoped,
  Effect.provide(ObjectStorageLive)
)
