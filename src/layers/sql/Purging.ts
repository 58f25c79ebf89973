import { isMoving } from "../storeMove/Moving.ts"
import { constant, type Fragment, sql, type Statement } from "./Statement.ts"

/** Maximum number of rows that one statement deletes, which limits its locks. */
export const PURGE_BATCH = 1000

/** Table with expired rows. */
interface ExpiringTable {
  readonly table: string
  /** Columns of the key. */
  readonly key: ReadonlyArray<string>
  /** Expression of the time of expiry. An index has the same expression. */
  readonly end?: string
  /** Interval between expiry and deletion. */
  readonly retention?: string
  /** True for a table that stays where it is when a store moves. */
  readonly isGlobal?: boolean
}

/**
 * CTE `expired`: a batch of the rows that expired first. Locked rows and those of moving stores are skipped. The limit is
 * a literal, because a generic plan expects a limit in a parameter to be a tenth of the table.
 */
export const expiredRows = ({
  end = "expires_at",
  isGlobal = false,
  key,
  retention = "0",
  table
}: ExpiringTable): Fragment => sql`
  expired as materialized (
    select ${sql.literal(key.join(", "))} from ${sql(table)}
    where ${sql.literal(`${end} <= now() - interval '${retention}'`)} ${isGlobal ? sql`` : sql`and not ${isMoving(table)}`}
    order by ${sql.literal(end)} limit ${constant(PURGE_BATCH)} for update skip locked
  )
`

/**
 * Rows of `expired` as arrays. The planner expects arrays to be short, so a join with them uses the key, even if the
 * table was small or not analyzed when it made the plan.
 */
export const unnestRows = (columns: ReadonlyArray<string>, from = "expired"): Fragment =>
  sql.literal(
    `unnest(${columns.map((column) => `array(select ${column} from ${from})`).join(", ")}) as listed (${columns.join(", ")})`
  )

/** Deletes the rows of `expired`. The table's alias is `t`. */
export const deleteExpired = ({ key, table }: ExpiringTable): Fragment => {
  const isSame = key.map((column) => `t.${column} = listed.${column}`).join(" and ")
  return sql`delete from ${sql(table)} t using ${unnestRows(key)} where ${sql.literal(isSame)}`
}

/** Statement that deletes a batch of expired rows. `beside` adds CTEs to it. */
export const purgeExpired = (over: ExpiringTable, beside: Fragment = sql``): Statement =>
  sql`with ${expiredRows(over)}${beside} ${deleteExpired(over)}`
