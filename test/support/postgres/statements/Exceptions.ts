/** Statement of `src` that reads or writes the rows of all stores. */
export interface Exception {
  /** File of its first template. */
  readonly file: string
  /** Matches the statement, with single spaces. Without it, all statements of the file are exceptions. */
  readonly text?: RegExp
  readonly reason: string
}

const TOKEN = "The hash of a token finds its store."
const RESET = "A reset belongs to an account, which may be in many stores."
const PURGE = "A purge deletes the expired rows of all stores of the database."
const WORKER = "Workers take the work of all stores of the database."
const OPERATOR = "An operator or the demo reads the rows of all stores."
const APP = "A developer sees the installations and deliveries of an app in all stores."
const DIRECTORY = "The directory finds the cells of stores and accounts."
const MIGRATION = "A migration moves the rows of all stores."
const PUBLIC_FILE = "The public URL of a file has no store."

/**
 * Statements of `src` that read or write the rows of all stores. The whole suite names those that did not run, so that the
 * list stays short.
 */
export const exceptions: ReadonlyArray<Exception> = [
  { file: "src/layers/rateLimit/RateLimit.ts", text: /^with bearer /, reason: TOKEN },
  { file: "src/layers/access/Agents.ts", text: /^with bearer /, reason: TOKEN },
  { file: "src/layers/access/Tokens.ts", reason: TOKEN },
  { file: "src/layers/access/AccountLinks.ts", text: /where i\.token_hash = \$/, reason: TOKEN },
  { file: "src/layers/oauth/TokenExchange.ts", reason: TOKEN },
  { file: "src/layers/cells/Directory.ts", text: /token_stores/, reason: TOKEN },
  { file: "src/layers/cells/TokenStores.ts", text: /token_stores/, reason: TOKEN },
  {
    file: "src/layers/cells/MemberRoles.ts",
    text: /from store_fences where state/,
    reason: "The few stores behind a fence are compared with those of the call."
  },
  { file: "src/layers/access/PasswordResets.ts", reason: RESET },
  {
    file: "src/layers/access/Merchants.ts",
    text: /^select m\.store_id .* where m\.merchant_id = \$/,
    reason: "Members see all their stores."
  },

  { file: "src/layers/sql/Purging.ts", reason: PURGE },
  { file: "src/layers/records/AppData.ts", text: /^with expired /, reason: PURGE },
  { file: "src/layers/exports/ExportRepository.ts", text: /^with expired /, reason: PURGE },
  { file: "src/layers/media/Objects.ts", text: /^\( select store_id as store /, reason: PURGE },
  {
    file: "src/layers/access/UninstalledDataPurge.ts",
    text: /from installations i where i\.uninstalled_at .* order by i\.uninstalled_at limit 1 /,
    reason: PURGE
  },
  { file: "src/layers/journal/Journal.ts", text: /^select part /, reason: PURGE },
  { file: "src/layers/webhooks/WeekPartitions.ts", reason: PURGE },
  { file: "src/layers/webhooks/DeliveryPurge.ts", reason: PURGE },
  { file: "src/layers/changeSets/ChangeSetRepository.ts", text: /^with (?:stale|expired) as /, reason: PURGE },

  { file: "src/layers/sql/Weeks.ts", text: /^with early as /, reason: MIGRATION },

  { file: "src/layers/jobs/Jobs.ts", text: /^(?:with due |select count\(\*\) filter )/, reason: WORKER },
  { file: "src/layers/webhooks/Claims.ts", reason: WORKER },
  { file: "src/layers/webhooks/DeliveryQueue.ts", reason: WORKER },

  { file: "src/layers/access/Installations.ts", text: /^select i\.id as "installationId"/, reason: OPERATOR },
  { file: "src/layers/access/Stores.ts", text: /^select s\.id as "storeId"/, reason: OPERATOR },
  { file: "src/layers/access/Apps.ts", text: /^select a\.id as "appId"/, reason: OPERATOR },
  {
    file: "src/layers/media/ObjectMove.ts",
    text: /^select (?:\( \(select coalesce|store_id as "storeId", hash, )/,
    reason: OPERATOR
  },
  { file: "src/layers/cells/Directory.ts", text: /where merchant_id = \$/, reason: DIRECTORY },
  {
    file: "src/layers/cells/GlobalTables.ts",
    text: /(?:from stores order by id limit 1000|^delete from "directory")$/,
    reason: DIRECTORY
  },
  { file: "src/layers/cells/Administration.ts", reason: OPERATOR },
  { file: "src/layers/storeMove/Placement.ts", reason: OPERATOR },
  { file: "src/layers/doctor/CellChecks.ts", reason: OPERATOR },
  { file: "src/layers/demo/Demo.ts", text: /^select m\.store_id /, reason: OPERATOR },

  { file: "src/layers/access/Developers.ts", text: /^select json_build_object\( 'id', a\.id/, reason: APP },
  {
    file: "src/layers/sql/Pages.ts",
    text: / from installations i join stores .* (?:i\.app_id|a\.developer_id) = \$/,
    reason: APP
  },
  { file: "src/layers/webhooks/Webhooks.ts", text: /app_id = (?:\$|w\.app_id)/, reason: APP },
  { file: "src/layers/webhooks/DeliveryLog.ts", reason: APP },

  { file: "src/layers/media/Files.ts", text: /where o\.hash = \$/, reason: PUBLIC_FILE },
  { file: "src/layers/media/Images.ts", text: /where o\.hash = \$/, reason: PUBLIC_FILE },

  {
    file: "src/layers/catalog/CollectionMembers.ts",
    text: /^select members from /,
    reason: "It is a part of a statement, compiled alone: `bindings` is a column of the whole, which is checked."
  },
  {
    file: "src/layers/Health.ts",
    text: /^select from products limit 1$/,
    reason: "It checks that the schema is there."
  },
  {
    file: "src/layers/sql/UnitOfWork.ts",
    text: /set is_active = is_active where id = \$/,
    reason: "It stores a response with a write that a test makes."
  }
]
