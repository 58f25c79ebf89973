import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"

/**
 * Tables with a `store_id` that a backup leaves out, with the reason. All others belong to a backup. Decide about each new
 * table, and change the list of tables in `StoreBackup.test.ts`.
 */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  access_tokens: "Credentials: who reads a backup must not become an app",
  agent_tokens: "Credentials of agents",
  refresh_tokens: "Credentials of apps and agents",
  authorization_codes: "Credentials that are valid for a minute",
  oauth_grants: "Without its tokens a consent grants nothing; the next consent creates another one",
  invitations: "Credentials: an invitation is a secret link",
  password_resets: "Credentials of accounts, which are not part of a store",
  open_forms: "Forms that are open now; clients announce them within seconds",
  directory: "Cells of stores: a restored store is in the cell of its database",
  token_stores: "Cells of tokens, which a backup does not have",
  merchant_stores: "An index of members of other cells, made again by the members",
  exports: "Files that exist for a day and can be made again",
  export_parts: "Parts of these files",
  store_moves: "Progress of a move between cells",
  store_fences: "Progress of a move between cells",
  store_changes: "Progress of a move between cells"
}

/** Expressions that replace columns: credentials, the leases of processes that run on this database, positions in its log. */
const REPLACED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agents: { token_hash: "null" },
  jobs: { lease: "null" },
  rate_windows: { written: "null" }
}

/** Responses to members can hold tokens of agents. Responses to apps hold none, and keep their retries safe. */
const OF_APPS = "exists (select from installations i where i.store_id = t.store_id and i.id = t.actor_id)"

const CONDITIONS: Readonly<Record<string, string>> = { idempotency_records: OF_APPS, large_responses: OF_APPS }

const Column = Schema.Struct({ name: Schema.String, type: Schema.String })

const TableRow = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Column),
  /** Other tables of a store that its foreign keys name. */
  needs: Schema.Array(Schema.String)
})

/** Table with rows of a store. */
export type StoreTable = typeof TableRow.Type

const readTables = rowsReader(TableRow)

/** Sorts tables so that each follows those that its foreign keys name. */
const inOrder = (tables: ReadonlyArray<StoreTable>): ReadonlyArray<StoreTable> => {
  const sorted = new Set<StoreTable>()
  const add = (table: StoreTable) => {
    if (sorted.has(table)) return
    for (const other of tables) if (other !== table && table.needs.includes(other.name)) add(other)
    sorted.add(table)
  }
  for (const table of tables) add(table)
  return [...sorted]
}

/** Lists the tables of a backup from the catalog: the store, then all with a `store_id`, in the order of inserts. */
export const listTables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    readTables(sql`
      select c.relname as name,
        (
          select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
          from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        ) as columns,
        (
          select coalesce(json_agg(distinct r.relname), '[]')
          from pg_constraint f join pg_class r on r.oid = f.confrelid where f.conrelid = c.oid and f.contype = 'f'
        ) as needs
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> all(${Object.keys(EXCEPTIONS)}::text[])
        and (c.relname = 'stores' or exists (
          select from pg_attribute s where s.attrelid = c.oid and s.attname = 'store_id' and not s.attisdropped
        ))
      order by c.relname
    `),
    inOrder
  ).pipe(orDefect)

const quoted = (name: string) => `"${name}"`

/** Makes the condition of the rows of a store. `store` is a UUID. */
export const rowsOfStore = ({ name }: StoreTable, store: string): string => {
  const isOfStore = `t.${name === "stores" ? "id" : "store_id"} = '${store}'`
  const condition = CONDITIONS[name]
  return `${quoted(name)} t where ${isOfStore}${condition === undefined ? "" : ` and ${condition}`}`
}

/** Makes a query of rows, each as one line of JSON: an array with the text of each expression. */
export const selectTexts = (expressions: ReadonlyArray<string>, from: string): string =>
  `select json_build_array(${expressions.map((one) => `(${one})::text`).join(", ")})::text as line from ${from}`

/** Makes the expression of a value of such a line. */
export const textAt = (index: number): string => `r.line ->> ${index}`

/** Makes the statement that inserts such rows. `$1` is a JSON array of them. */
export const insertTexts = (table: string, columns: ReadonlyArray<string>, values: ReadonlyArray<string>): string => `
  insert into ${quoted(table)} (${columns.map(quoted).join(", ")})
  select ${values.join(", ")} from json_array_elements($1::json) as r (line)
`

/** Makes the query of the rows of a store as lines. */
export const selectLines = (table: StoreTable, store: string): string =>
  selectTexts(
    table.columns.map(({ name }) => REPLACED[table.name]?.[name] ?? `t.${quoted(name)}`),
    rowsOfStore(table, store)
  )

/**
 * Makes the statement that inserts such rows. `$1` is a JSON array of them, `$2` an array of installations to leave out.
 * `change` makes the expression of a column from the stored one.
 */
export const insertLines = (
  table: StoreTable,
  columns: ReadonlyArray<string>,
  change: (table: string, column: string, expression: string) => string
): string => {
  const valueOf = (column: string) => textAt(columns.indexOf(column))
  const values = table.columns.map(({ name, type }) => change(table.name, name, `(${valueOf(name)})::${type}`))
  const installation = table.name === "installations" ? "id" : "installation_id"
  const isWanted = columns.includes(installation)
    ? `(${valueOf(installation)})::uuid <> all($2::uuid[])`
    : "cardinality($2::uuid[]) >= 0"
  const names = table.columns.map(({ name }) => name)
  return `${insertTexts(table.name, names, values)} where ${isWanted}`
}
