import { Array, Effect, Option, Result } from "effect"
import { ProductId } from "../../domain/catalog/Product.ts"
import { UnknownReferences } from "../../domain/imports/Collection.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportedOrder } from "../../domain/imports/Order.ts"
import type { ImportItem } from "../../domain/imports/Put.ts"
import { CustomerId, Customers } from "../../domain/records/Customer.ts"
import { OrderId, Orders, type PutOrder } from "../../domain/records/Order.ts"
import type { RecordService } from "../../domain/records/Records.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isText } from "../../domain/Text.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { orDefect } from "../sql/Errors.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { ExternalIds } from "./ExternalIds.ts"

/** Makes a function that writes records by their external ids and stores those of new records. The store must be locked. */
const upserterByExternalId = Effect.fnUntraced(function* <Id extends string, Input, Refused>(
  kind: "order" | "customer",
  toId: (id: string) => Id,
  { upsert }: Pick<RecordService<Id, Input, Refused, unknown, never>, "upsert">
) {
  const externalIds = yield* ExternalIds
  const unitOfWork = yield* UnitOfWork

  return Effect.fnUntraced(function* (store: StoreId, items: ReadonlyArray<ImportItem<Input>>) {
    const existing = yield* externalIds.find(
      store,
      kind,
      items.map(({ externalId }) => externalId)
    )
    const idOf = (externalId: string) =>
      Option.getOrNull(Option.map(Option.fromNullishOr(existing.get(externalId)), toId))
    const results = yield* upsert(
      store,
      items.map(({ externalId, input }) => ({ id: idOf(externalId), input }))
    )
    const created = Array.zip(items, results).flatMap(([{ externalId }, result]) =>
      Result.isSuccess(result) && result.success.outcome === "created" ? [{ externalId, id: result.success.id }] : []
    )
    if (created.length > 0) yield* unitOfWork.add(externalIds.insertStatement(store, kind, created))
    return results.map(Result.map(({ outcome }) => outcome))
  })
})

const toOrderId = (id: string) => OrderId.make(id, { disableChecks: true })
const toCustomerId = (id: string) => CustomerId.make(id, { disableChecks: true })

/** Makes the import of customers. */
export const customerImport = Effect.gen(function* () {
  const { lockStore } = yield* StoreAllocation
  const upsert = yield* upserterByExternalId("customer", toCustomerId, yield* Customers)

  const putCustomers: typeof Imports.Service.putCustomers = Effect.fn("Imports.putCustomers")(function* (store, items) {
    yield* lockStore(store)
    const outcomes = yield* upsert(store, items)
    return { outcomes, limit: Option.none() }
  }, orDefect)
  return putCustomers
})

/** Resolves a reference: by external id, else by id. */
const resolveReference = (
  existing: ReadonlyMap<string, string>,
  reference: string | null | undefined
): string | undefined => {
  if (!isText(reference)) return undefined
  const id = existing.get(reference) ?? reference.toLowerCase()
  return isUuid(id) ? id : undefined
}

/** Makes the import of orders. */
export const orderImport = Effect.gen(function* () {
  const externalIds = yield* ExternalIds
  const { lockStore } = yield* StoreAllocation
  const upsert = yield* upserterByExternalId("order", toOrderId, yield* Orders)

  const putOrders: typeof Imports.Service.putOrders = Effect.fn("Imports.putOrders")(function* (store, items) {
    yield* lockStore(store)
    const references = items.map(({ input }) => input.references)
    const distinct = (of: (one: ImportedOrder["references"]) => ReadonlyArray<string | null | undefined>) => [
      ...new Set(references.flatMap(of).filter(isText))
    ]
    const customerReferences = distinct(({ customer }) => [customer])
    const productReferences = distinct(({ products }) => products)
    const customers = yield* externalIds.find(store, "customer", customerReferences)
    const products = yield* externalIds.find(store, "product", productReferences)
    const resolved = items.map(({ externalId, input: { order, references } }) => {
      const reference = references.customer
      const customer = resolveReference(customers, reference)
      if (isText(reference) && customer === undefined) {
        return Result.fail(new UnknownReferences({ unknown: [{ path: "customerId", reference }] }))
      }
      // The line of a product that does not exist keeps only its name.
      const lineItems = order.lineItems?.map((line, index) => {
        const product = resolveReference(products, references.products[index])
        return {
          ...line,
          productId: product === undefined ? null : ProductId.make(product, { disableChecks: true })
        }
      })
      const input: PutOrder = {
        ...order,
        ...(reference === undefined ? {} : { customerId: customer === undefined ? null : toCustomerId(customer) }),
        ...(lineItems === undefined ? {} : { lineItems })
      }
      return Result.succeed({ externalId, input })
    })
    const results = yield* upsert(store, Array.getSuccesses(resolved))
    let next = 0
    const outcomes = resolved.map((one) =>
      Result.flatMap(one, () => results[next++] ?? Result.succeed("unchanged" as const))
    )
    return { outcomes, limit: Option.none() }
  }, orDefect)
  return putOrders
})
