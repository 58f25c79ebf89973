import { type Fragment, sql, type Statement } from "./sql/Statement.ts"

/** Rows that one purge deletes at most, so that it never holds many locks. */
export const BATCH = 1000

/** What of a table may go. */
interface Over {
  readonly table: string
  /** The columns that a row is found by. */
  readonly key: ReadonlyArray<string>
  /** When a row ends, as the index has it that is read for that. */
  readonly end?: string
  /** How long a row is kept behind its end. */
  readonly kept?: string
}

/**
 * `ended`: a batch of what ended first, without what others work on. The number is no parameter: a plan for any number
 * takes it for a tenth of the table.
 */
export const endedOf = ({ end = "expires_at", kept = "0", key, table }: Over): Fragment =>
  sql.literal(`
  ended as materialized (
    select ${key.join(", ")} from ${table} where ${end} <= now() - interval '${kept}'
    order by ${end} limit ${BATCH} for update skip locked
  )
`)

/**
 * Rows of `ended` as lists. The planner takes each for a short one, so what is joined with them is found by its key, however
 * large the table was when it was planned.
 */
export const listed = (columns: ReadonlyArray<string>, from = "ended"): Fragment =>
  sql.literal(
    `unnest(${columns.map((column) => `array(select ${column} from ${from})`).join(", ")}) as listed (${columns.join(", ")})`
  )

/** Deletes `ended`, as `t`. */
export const deleteEnded = ({ key, table }: Over): Fragment => {
  const isSame = key.map((column) => `t.${column} = listed.${column}`).join(" and ")
  return sql`delete from ${sql(table)} t using ${listed(key)} where ${sql.literal(isSame)}`
}

/** Deletes a batch of what has ended, and does what stands `beside` it in the same statement. */
export const purgeOf = (over: Over, beside: Fragment = sql``): Statement =>
  sql`with ${endedOf(over)}${beside} ${deleteEnded(over)}`
