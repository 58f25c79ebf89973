import { type Fragment, sql, type Statement } from "./Statement.ts"

/** Maximum number of rows that one statement deletes, which limits its locks. */
export const BATCH = 1000

/** Table with expired rows. */
interface ExpiringTable {
  readonly table: string
  /** Columns of the key. */
  readonly key: ReadonlyArray<string>
  /** Expression of the time of expiry. An index has the same expression. */
  readonly end?: string
  /** Interval between expiry and deletion. */
  readonly retention?: string
}

/**
 * CTE `ended`: a batch of the rows that expired first. Locked rows are skipped. The limit is a literal, because a
 * generic plan expects a limit in a parameter to be a tenth of the table.
 */
export const endedOf = ({ end = "expires_at", retention = "0", key, table }: ExpiringTable): Fragment =>
  sql.literal(`
  ended as materialized (
    select ${key.join(", ")} from ${table} where ${end} <= now() - interval '${retention}'
    order by ${end} limit ${BATCH} for update skip locked
  )
`)

/**
 * Rows of `ended` as arrays. The planner expects arrays to be short, so a join with them uses the key, even if the
 * table was small or not analyzed when it made the plan.
 */
export const listed = (columns: ReadonlyArray<string>, from = "ended"): Fragment =>
  sql.literal(
    `unnest(${columns.map((column) => `array(select ${column} from ${from})`).join(", ")}) as listed (${columns.join(", ")})`
  )

/** Deletes the rows of `ended`. The table's alias is `t`. */
export const deleteEnded = ({ key, table }: ExpiringTable): Fragment => {
  const isSame = key.map((column) => `t.${column} = listed.${column}`).join(" and ")
  return sql`delete from ${sql(table)} t using ${listed(key)} where ${sql.literal(isSame)}`
}

/** Statement that deletes a batch of expired rows. `beside` adds CTEs to it. */
export const purgeOf = (over: ExpiringTable, beside: Fragment = sql``): Statement =>
  sql`with ${endedOf(over)}${beside} ${deleteEnded(over)}`
