import { Array, Effect, Option, Result } from "effect"
import { ProductId } from "../../domain/catalog/Product.ts"
import { UnknownReferences } from "../../domain/imports/Collection.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportedOrder } from "../../domain/imports/Order.ts"
import type { ImportItem, BatchResult } from "../../domain/imports/Put.ts"
import { CustomerId, type Customers } from "../../domain/records/Customer.ts"
import { OrderId, type Orders } from "../../domain/records/Order.ts"
import type { RecordService } from "../../domain/records/Records.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { isText } from "../../domain/Text.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { deferToCommit, type Step } from "../sql/Plan.ts"
import { insertExternalIds, resourcesOf } from "./ExternalIds.ts"

/** Puts records that are found by their external ids, and remembers those of new ones. The store must be locked. */
const putNamed = Effect.fnUntraced(function* <Id extends string, Input, Refused>(
  store: StoreId,
  kind: "order" | "customer",
  toId: (id: string) => Id,
  put: RecordService<Id, Input, Refused, unknown>["put"],
  puts: ReadonlyArray<ImportItem<Input>>
): Step<ReadonlyArray<BatchResult<Refused, never>["outcomes"][number]>, StoreNotFound> {
  const known = yield* resourcesOf(
    store,
    kind,
    puts.map(({ externalId }) => externalId)
  )
  const idOf = (externalId: string) => Option.getOrNull(Option.map(Option.fromNullishOr(known.get(externalId)), toId))
  const done = yield* put(
    store,
    puts.map(({ externalId, input }) => ({ id: idOf(externalId), input }))
  )
  const made = Array.zip(puts, done).flatMap(([{ externalId }, one]) =>
    Result.isSuccess(one) && one.success.outcome === "created" ? [{ externalId, id: one.success.id }] : []
  )
  if (made.length > 0) yield* deferToCommit(insertExternalIds(store, kind, made))
  return done.map(Result.map(({ outcome }) => outcome))
})

const asOrder = (id: string) => OrderId.make(id, { disableChecks: true })
const asCustomer = (id: string) => CustomerId.make(id, { disableChecks: true })

export const makePutCustomers =
  ({ put }: typeof Customers.Service): typeof Imports.Service.putCustomers =>
  (store, puts) =>
    Effect.gen(function* () {
      yield* lockedStore(store)
      return { outcomes: yield* putNamed(store, "customer", asCustomer, put, puts), limit: Option.none() }
    })

/** What is meant by a reference: what is called so elsewhere, else what has this id here. */
const meantOf = (known: ReadonlyMap<string, string>, reference: string | null): string | undefined => {
  if (reference === null) return undefined
  const id = known.get(reference) ?? reference.toLowerCase()
  return isUuid(id) ? id : undefined
}

export const makePutOrders =
  ({ put }: typeof Orders.Service): typeof Imports.Service.putOrders =>
  (store, puts) =>
    Effect.gen(function* () {
      yield* lockedStore(store)
      const references = puts.map(({ input }) => input.references)
      const namedBy = (of: (one: ImportedOrder["references"]) => ReadonlyArray<string | null>) => [
        ...new Set(references.flatMap(of).filter(isText))
      ]
      const customers = yield* resourcesOf(
        store,
        "customer",
        namedBy(({ customer }) => [customer])
      )
      const products = yield* resourcesOf(
        store,
        "product",
        namedBy(({ products }) => products)
      )
      const resolved = puts.map(({ externalId, input: { order, references } }) => {
        const customer = meantOf(customers, references.customer)
        if (references.customer !== null && customer === undefined) {
          const unknown = [{ path: "customerId", reference: references.customer }]
          return Result.fail(new UnknownReferences({ unknown }))
        }
        // A product that is no longer there is told by its name.
        const lineItems = order.lineItems.map((line, place) => {
          const product = meantOf(products, references.products[place] ?? null)
          return {
            ...line,
            productId: product === undefined ? null : ProductId.make(product, { disableChecks: true })
          }
        })
        const customerId = customer === undefined ? null : asCustomer(customer)
        return Result.succeed({ externalId, input: { ...order, customerId, lineItems } })
      })
      const done = yield* putNamed(store, "order", asOrder, put, Array.getSuccesses(resolved))
      let place = 0
      const outcomes = resolved.map((one) =>
        Result.flatMap(one, () => done[place++] ?? Result.succeed("unchanged" as const))
      )
      return { outcomes, limit: Option.none() }
    })
