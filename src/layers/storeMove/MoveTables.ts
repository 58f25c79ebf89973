import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { rowsReader } from "../sql/Rows.ts"

/** Tables with a `store_id` that stay where they are. */
const NOT_MOVED = [
  // Of the installation.
  "directory",
  "merchant_stores",
  "token_stores",
  "store_moves",
  "store_fences",
  "store_changes",
  // Of accounts.
  "password_resets",
  // Not logged. Clients announce their forms every few seconds.
  "open_forms"
]

const MoveTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  /** Types of the columns. */
  types: Schema.Array(Schema.String),
  key: Schema.Array(Schema.String),
  /** The table, or its partitions. */
  parts: Schema.Array(Schema.String),
  bytes: Schema.NumberFromString,
  /** True if logical replication can find its rows, and filter them by the store. */
  isReplicable: Schema.Boolean
})

/** Table whose rows move with their store. */
export type MoveTable = typeof MoveTable.Type

const readTables = rowsReader(MoveTable)

/** Lists the tables whose rows move with their store, largest first. */
export const listMoveTables = (sql: SqlClient.SqlClient) =>
  readTables(sql`
    select c.relname as name,
      (
        select json_agg(a.attname order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as columns,
      (
        select json_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as types,
      (
        select json_agg(a.attname order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = i.indrelid
        where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)
      ) as key,
      (select json_agg(part::text) from unnest(leaves.parts) as part) as parts,
      (select sum(pg_total_relation_size(part)) from unnest(leaves.parts) as part)::text as bytes,
      c.relpersistence = 'p' and not exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped
      ) and (c.relname = 'stores' or c.relreplident = 'f' or exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid
        where i.indrelid = c.oid and a.attnum = any(i.indkey) and a.attname = 'store_id'
          and case c.relreplident when 'd' then i.indisprimary else i.indisreplident end
      )) as "isReplicable"
    from pg_class c cross join lateral (
      select case
        when c.relkind = 'p' then array(select relid from pg_partition_tree(c.oid) where isleaf) else array[c.oid::regclass]
      end as parts
    ) leaves
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all(${NOT_MOVED}::text[])
      and (c.relname = 'stores' or exists (
        select from pg_attribute s where s.attrelid = c.oid and s.attname = 'store_id' and not s.attisdropped
      ))
    order by (select sum(pg_total_relation_size(part)) from unnest(leaves.parts) as part) desc, c.relname
  `)

export const quoted = (name: string) => `"${name}"`

/** Column with the store. */
export const storeColumn = (table: MoveTable) => (table.name === "stores" ? "id" : "store_id")

/** Makes the condition of the rows of a store. `store` is a UUID. */
export const ofStore = (table: MoveTable, store: StoreId) => `${storeColumn(table)} = '${store}'`

/** Makes the text of some columns of a row. It is the same in all databases whose sessions format values alike. */
export const textOf = (columns: ReadonlyArray<string>) =>
  `row(${columns.map((name) => `t.${quoted(name)}`).join(", ")})::text`
