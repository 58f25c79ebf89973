import { Effect, Layer, Option, Result } from "effect"
import {
  CustomerId,
  CustomerNotFound,
  customerOf,
  type CustomerQuery,
  Customers,
  PERSONAL_OF_CUSTOMER,
  type PutCustomer
} from "../../domain/records/Customer.ts"
import { CustomerDocument } from "../../domain/records/Documents.ts"
import type { FieldVisibility } from "../../domain/records/Records.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { orDefect } from "../sql/Errors.ts"
import { pageReader } from "../sql/Pages.ts"
import type { Fragment } from "../sql/Statement.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { traced } from "../telemetry/Traced.ts"
import { CHANGED_KEY, numberKey, RecordRepository, type RecordTable, textKey } from "./Records.ts"
import { containsText, textCandidates } from "./TextSearch.ts"
import { idsOf, upsertPlanner } from "./Upserts.ts"

export const CUSTOMERS: RecordTable = {
  table: "customers",
  document: CustomerDocument,
  personal: PERSONAL_OF_CUSTOMER
}

const KEYS = {
  name: textKey("name"),
  ordersCount: numberKey("ordersCount"),
  totalSpent: numberKey("totalSpent"),
  updatedAt: CHANGED_KEY
}

/** Compiles the filter of a list of customers. */
export const customerConditions = (
  { search }: Omit<CustomerQuery, "sort">,
  visibility: FieldVisibility
): ReadonlyArray<Fragment> => (search === undefined ? [] : [containsText("customer_text", search, visibility)])

const readPage = pageReader(CustomerId, CustomerDocument)

const plan = upsertPlanner({
  id: CustomerId,
  document: CustomerDocument,
  personal: PERSONAL_OF_CUSTOMER,
  make: (input: PutCustomer, context) => Result.succeed(customerOf(input, context))
})

export const CustomersLive = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const { allocateInstants } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork
    const records = yield* RecordRepository

    return Customers.of({
      list: traced("Customers.list")(
        (store, request) => readPage(records.pageStatement(CUSTOMERS, store, request)),
        orDefect
      ),

      query: traced("Customers.query")((store, { sort = "-createdAt", ...request }, page, visibility) =>
        records.queryPage(
          CUSTOMERS,
          store,
          {
            sort,
            keys: KEYS,
            request,
            conditions: customerConditions(request, visibility),
            candidates:
              request.search === undefined ? undefined : textCandidates("customer_text", store, request.search)
          },
          page,
          visibility
        )
      ),

      get: traced("Customers.get")(function* (store, id, visibility) {
        const json = yield* records.findById(CUSTOMERS, store, id, visibility)
        return Option.isSome(json) ? json.value : yield* new CustomerNotFound({ id })
      }),

      upsert: traced("Customers.upsert")(function* (store, upserts) {
        const clock = yield* allocateInstants(store, upserts.length)
        const known = yield* records.findByIds("customers", store, idsOf(upserts))
        const { outcomes, written } = plan(known, upserts, clock)
        yield* unitOfWork.add(...records.upsertStatements(CUSTOMERS, store, written))
        return outcomes
      })
    })
  })
)
