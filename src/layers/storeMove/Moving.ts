import { type Fragment, sql } from "../sql/Statement.ts"

/**
 * Condition of the rows whose store is moving to or from this database, which workers leave alone. The list is read once a
 * statement and almost always empty. `alias` names a table with a `store_id`.
 */
export const isMoving = (alias: string): Fragment => sql`
  ${sql.literal(alias)}.store_id = any(array(select store_id from store_fences))
`
