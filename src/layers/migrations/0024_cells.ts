import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the directory of cells. A cell is a database that holds the rows of some stores. The database with the directory is
 * itself the cell `main`, which has all stores that the directory does not name.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Cells besides `main`. is_open: true if new stores may be created in it.
  yield* sql`
    create table cells (
      name text primary key check (name ~ '^[a-z][a-z0-9]{0,30}$'),
      is_open boolean not null default true,
      created_at timestamptz not null default clock_timestamp()
    )
  `

  // Cell of each store that is not in `main`. epoch: rises with each move of the store.
  yield* sql`
    create table directory (
      store_id uuid primary key,
      cell text not null,
      epoch integer not null default 1
    )
  `
  // Counts the stores of a cell.
  yield* sql`create index directory_by_cell on directory (cell)`

  // Stores outside of the cell main of which an account may be a member. Written before the membership and not deleted with it:
  // the cell decides.
  yield* sql`
    create table merchant_stores (
      merchant_id uuid not null,
      store_id uuid not null,
      primary key (store_id, merchant_id)
    )
  `
  yield* sql`create index merchant_stores_by_merchant on merchant_stores (merchant_id)`

  // moved_at: time at which the store went to another cell. What this cell still has of it is out of date.
  yield* sql`alter table stores add column moved_at timestamptz`
})
