import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ProductId } from "../../domain/catalog/Product.ts"
import type { StoredProduct } from "../../domain/catalog/ProductState.ts"
import type { StoreId } from "../../domain/Store.ts"
import { ProductRepository } from "../catalog/ProductRepository.ts"
import { ExternalIds } from "../imports/ExternalIds.ts"
import { partOf } from "../journal/Journal.ts"
import { ENTRY_COLUMNS, JournalRow } from "../journal/JournalRow.ts"
import { resourceHistory } from "../journal/ResourceHistory.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { isRestorable, type Loaded, type NumberedProductOperation, skuOf, toId } from "./ProductTargets.ts"
import { Skus } from "./Skus.ts"

const readEntries = rowsReader(JournalRow)

/** Maximum number of later entries that are read for deletions that a batch undoes. */
const MAX_LATER = 1_000

/** Makes the function that reads the products, ids and entries that operations name. It locks the products to write. */
export const loadedProducts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const externalIds = yield* ExternalIds
  const repository = yield* ProductRepository
  const { find: findBySkus } = yield* Skus
  const { listEntries } = yield* resourceHistory

  const loadEntries = (store: StoreId, ids: ReadonlyArray<string>) =>
    readEntries(sql`
      select ${ENTRY_COLUMNS} from journal
      where store_id = ${store} and id = any((select ${plainArray(ids)}::uuid[])::uuid[])
        and part = any(${plainArray([...new Set(ids.map(partOf))])}::smallint[])
    `)

  return Effect.fnUntraced(function* (
    store: StoreId,
    operations: ReadonlyArray<NumberedProductOperation>,
    intent: "write" | "preview"
  ): Effect.fn.Return<Loaded, SqlError.SqlError | Schema.SchemaError> {
    const skus = [...new Set(operations.flatMap(({ operation }) => skuOf(operation) ?? []))]
    const named = operations.flatMap(({ operation }) =>
      "externalId" in operation && operation.externalId !== undefined ? [operation.externalId] : []
    )
    const undone = operations.flatMap(({ operation }) => (operation.op === "entry.undo" ? [operation.entryId] : []))
    const idsByExternalId: ReadonlyMap<string, string> =
      named.length === 0 ? new Map<string, string>() : yield* externalIds.find(store, "product", named)
    const entries = undone.length === 0 ? [] : yield* loadEntries(store, undone)
    const restorable = entries.filter(isRestorable)
    const later = restorable.map(({ id, resourceId, version }) => ({
      id: resourceId,
      version: version + 1,
      since: id
    }))
    const since = later.length === 0 ? [] : yield* listEntries(store, later, MAX_LATER)
    const restored = new Set((since.length < MAX_LATER ? since : restorable).map(({ resourceId }) => resourceId))
    const withSkus = skus.length === 0 ? [] : yield* findBySkus(store, skus)
    const direct = operations.flatMap(({ operation }) =>
      operation.op !== "product.create" && operation.id !== undefined ? [toId(operation.id)] : []
    )
    const ids = [...new Set([...direct, ...withSkus, ...[...idsByExternalId.values()].map(toId)])]
    const read = intent === "write" ? repository.lockAll : repository.findAll
    const products = ids.length === 0 ? new Map<ProductId, StoredProduct>() : yield* read(store, ids)
    const entriesById = new Map(entries.map((entry) => [entry.id, entry] as const))
    return { products, idsByExternalId, withSkus, entries: entriesById, restored }
  }, orDefect)
})
