import { DateTime, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ALL_GRANTS } from "../../domain/access/AccessRule.ts"
import { logFailure } from "../../domain/Unavailable.ts"
import { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { StoreId } from "../../domain/Store.ts"
import { dataDir, isDemo } from "../DatabaseConfig.ts"
import { makeFolder } from "../Folder.ts"
import { formatReason } from "../postgres/EmbeddedPostgresFailed.ts"
import { invalidSetting } from "../Settings.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import {
  createOwnerAndAgent,
  createRecords,
  createStore,
  installApp,
  installReceiver,
  registerExample
} from "./DemoStore.ts"

/** Time between two renewals of the access token, which is valid for an hour: `demo.json` has 40 minutes of it at least. */
const TOKEN_INTERVAL = "20 minutes"

/** Credentials of the demo store in `demo.json`. Files of earlier releases lack the optional ones. */
const Credentials = Schema.Struct({
  storeId: Schema.toType(StoreId),
  installationId: Schema.toType(InstallationId),
  webhookAppId: Schema.optional(Schema.toType(AppId)),
  webhookSecret: Schema.optional(Schema.String),
  merchantEmail: Schema.optional(Schema.String),
  merchantPassword: Schema.optional(Schema.String),
  agentToken: Schema.optional(Schema.String),
  exampleClientId: Schema.optional(Schema.toType(AppId)),
  exampleWebhookSecret: Schema.optional(Schema.String)
})
type Credentials = typeof Credentials.Type

export const CredentialsDocument = storedDocument(Credentials, { isChecked: true })

const fileIn = (folder: string) => join(folder, "demo.json")

/** Reads the file; none if it is missing or damaged. */
const read = (file: string) => Effect.option(Effect.try(() => CredentialsDocument.parse(readFileSync(file, "utf8"))))

/** Writes the file atomically, readable for its owner only, because it contains a token. */
const write = (file: string, contents: object) =>
  Effect.sync(() => {
    const temporary = `${file}.${process.pid}`
    writeFileSync(temporary, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  })

const readDemoStore = rowReader(
  Schema.Struct({ storeId: Schema.toType(StoreId), installationId: Schema.NullOr(Schema.toType(InstallationId)) })
)

/** Finds the newest store with a demo owner, and its newest active installation of the demo app. */
const findDemoStore = (sql: SqlClient.SqlClient) =>
  readDemoStore(sql`
    select m.store_id as "storeId", (
      select i.id from installations i join apps a on a.id = i.app_id
      where i.store_id = m.store_id and i.is_active and a.name = 'Demo app' and a.developer_id is null
      order by i.id desc limit 1
    ) as "installationId"
    from stores s join members m on m.store_id = s.id join merchants o on o.id = m.merchant_id
    where s.deleted_at is null and o.email = 'owner-' || right(m.store_id::text, 12) || '@example.com'
      and m.role = 'owner'
    order by m.store_id desc limit 1
  `)

/**
 * Finds the demo store if `demo.json` is missing or damaged; none if the database has no demo store. The secrets of the
 * store are lost, so new ones are created. A damaged file is renamed.
 */
const recover = Effect.fnUntraced(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const isMissing = !existsSync(file)
  const isDamaged = !isMissing && Option.isNone(yield* read(file))
  if (isDamaged) {
    yield* Effect.sync(() => renameSync(file, `${file}.damaged`))
    yield* Effect.logWarning(`${file} is damaged and was renamed to ${file}.damaged`)
  }
  const store = yield* findDemoStore(sql)
  if (Option.isNone(store)) return Option.none<Credentials>()
  if (isMissing) yield* Effect.logWarning(`${file} is missing`)
  const { installationId, storeId } = store.value
  yield* Effect.logWarning(`The demo store ${storeId} is kept and gets new credentials, which ${file} will hold`)
  return Option.some<Credentials>(
    installationId === null
      ? { storeId, ...(yield* sql.withTransaction(installApp(storeId))) }
      : { storeId, installationId }
  )
})

export interface DemoFacts {
  readonly baseUrl: string
  readonly accessToken: string
  /** Account of the owner, for the dashboard and the developer portal. */
  readonly merchantEmail: string
  readonly merchantPassword: string
}

/**
 * Finds or creates the demo store; none if the demo is turned off. Writes its credentials to `demo.json` in `DATA_DIR`,
 * where the next start finds them, and renews the access token in the file until the scope ends.
 */
export const openDemo = Effect.fn("openDemo")(
  function* (baseUrl: string) {
    if (!(yield* isDemo)) return Option.none<DemoFacts>()
    const sql = yield* SqlClient.SqlClient
    const installations = yield* Installations
    const tokens = yield* Tokens
    const folder = yield* dataDir
    yield* Effect.try({
      try: () => makeFolder(folder),
      catch: (thrown) => invalidSetting("DATA_DIR", formatReason(thrown))
    })
    const file = fileIn(folder)

    const isActive = ({ installationId, storeId }: Credentials) =>
      Effect.match(installations.find(installationId), {
        onFailure: () => false,
        onSuccess: (installation) => installation.storeId === storeId && installation.state === "active"
      })
    const saved = yield* read(file)
    const existing = Option.isSome(saved) && (yield* isActive(saved.value)) ? saved : yield* recover(file)
    const found: Credentials = Option.isSome(existing)
      ? existing.value
      : yield* sql.withTransaction(createStore(baseUrl))
    const { storeId } = found
    // A demo of an earlier release gets what it lacks.
    const { capabilities } = yield* installations.find(found.installationId)
    const credentials: Credentials = {
      ...found,
      ...(capabilities.length < ALL_GRANTS.capabilities.length ? yield* sql.withTransaction(installApp(storeId)) : {}),
      ...(found.webhookAppId === undefined ? yield* sql.withTransaction(installReceiver(storeId)) : {}),
      ...(found.agentToken === undefined ? yield* sql.withTransaction(createOwnerAndAgent(storeId)) : {}),
      ...(found.exampleClientId === undefined ? yield* sql.withTransaction(registerExample) : {})
    }
    yield* sql.withTransaction(createRecords(storeId))

    const renew = Effect.gen(function* () {
      const { expiresAt, token } = yield* tokens.issue({ id: credentials.installationId, storeId })
      const accessToken = Redacted.value(token)
      yield* write(file, {
        // The codec keeps members that it does not know, such as the URL of an earlier start.
        ...credentials,
        baseUrl,
        accessToken,
        accessTokenExpiresAt: DateTime.formatIso(expiresAt)
      })
      return accessToken
    })
    const accessToken = yield* renew
    yield* Effect.catchCause(renew, (cause) => logFailure("The demo got no fresh token", cause)).pipe(
      Effect.schedule(Schedule.spaced(TOKEN_INTERVAL)),
      Effect.forkScoped
    )
    const { merchantEmail = "", merchantPassword = "" } = credentials
    return Option.some<DemoFacts>({ baseUrl, accessToken, merchantEmail, merchantPassword })
  },
  orDefect,
  Effect.orDie
)

/** The secret that signs the events of the demo; none if there is no demo. */
export const demoWebhookSecret = Effect.map(
  Effect.flatMap(dataDir, (folder) => read(fileIn(folder))),
  Option.flatMap(({ webhookSecret }) => Option.map(Option.fromNullishOr(webhookSecret), Redacted.make))
)
