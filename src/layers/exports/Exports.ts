import { Effect, Layer, Option } from "effect"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { type ExportKind, Exports } from "../../domain/exports/Exports.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database } from "../sql/Postgres.ts"
import { sql } from "../sql/Statement.ts"
import { START } from "../Pages.ts"
import { lineOf, Row, SELECT } from "./Rows.ts"

/** Bytes of documents that are read at once. */
const CHUNK = 1024 * 1024

/** Rows that are read at once: of collections few, as each may name ten thousand products. */
const ROWS: Record<ExportKind, number> = { products: 500, collections: 20, orders: 500, customers: 500 }

const selectStore = (store: StoreId) => sql`select id from stores where id = ${store} and deleted_at is null`

/** Who takes the lines may be slow: nothing but this process waits for it. */
const beSlow = sql`select set_config('idle_in_transaction_session_timeout', '0', true)`

export const ExportsLive = Layer.effect(
  Exports,
  Effect.map(Database, ({ count, rows, snapshot }) => {
    const rowsOf = rows(Row)
    return Exports.of({
      exportAll: (store, kind, write) =>
        snapshot(
          Effect.gen(function* () {
            yield* count(beSlow)
            if ((yield* count(selectStore(store))) === 0) return yield* new UnknownStore({ id: store })
            let exported = 0
            let cursor = Option.some<string>(START)
            while (Option.isSome(cursor)) {
              const found = yield* rowsOf(SELECT[kind]({ store, after: cursor.value, limit: ROWS[kind], bytes: CHUNK }))
              if (found.length > 0) yield* write(found.map((row) => `${lineOf(row)}\n`).join(""))
              exported += found.length
              cursor = Option.map(Option.fromNullishOr(found.at(-1)), ({ id }) => id)
            }
            return exported
          })
        )
    })
  })
)
