import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { type ExportKind, Exports } from "../../domain/exports/Exports.ts"
import type { StoreId } from "../../domain/Store.ts"
import { START } from "../sql/Pages.ts"
import { orDefectExcept } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { snapshot } from "../sql/Transaction.ts"
import { lineOf, Row, SELECT_ROWS } from "./Rows.ts"

/** Bytes of documents per statement. */
const CHUNK = 1024 * 1024

/** Rows per statement. A collection may have 10,000 members. */
const ROWS: Record<ExportKind, number> = { products: 500, collections: 20, orders: 500, customers: 500 }

const readRows = rowsReader(Row)

export const ExportsLive = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const exportRows = Effect.fnUntraced(function* <E, R>(
      store: StoreId,
      kind: ExportKind,
      write: (lines: string) => Effect.Effect<void, E, R>
    ) {
      // The receiver of the lines may be slow. Nothing else waits for this transaction.
      yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
      const stores = yield* sql`select id from stores where id = ${store} and deleted_at is null`
      if (stores.length === 0) return yield* new UnknownStore({ id: store })
      let exported = 0
      let cursor: string | undefined = START
      while (cursor !== undefined) {
        const page = { store, after: cursor, limit: ROWS[kind], bytes: CHUNK }
        const rows: ReadonlyArray<Row> = yield* readRows(sql`${SELECT_ROWS[kind](page)}`)
        if (rows.length > 0) yield* write(rows.map((row) => `${lineOf(row)}\n`).join(""))
        exported += rows.length
        cursor = rows.at(-1)?.id
      }
      return exported
    })

    return Exports.of({
      exportAll: <E, R>(
        store: StoreId,
        kind: ExportKind,
        write: (lines: string) => Effect.Effect<void, E, R>
      ): Effect.Effect<number, UnknownStore | E, R> =>
        orDefectExcept<UnknownStore | E>()(snapshot(sql, exportRows(store, kind, write))).pipe(
          Effect.withSpan("Exports.exportAll")
        )
    })
  })
)
