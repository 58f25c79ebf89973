import { Effect, Layer, Option } from "effect"
import { type CustomerId, PERSONAL_OF_CUSTOMER, UnknownCustomer } from "../../domain/records/Customer.ts"
import { CustomerDocument, OrderDocument } from "../../domain/records/Documents.ts"
import {
  OrderId,
  OrderNotFound,
  orderOf,
  type OrderQuery,
  Orders,
  PERSONAL_OF_ORDER,
  type PutOrder,
  type Status
} from "../../domain/records/Order.ts"
import { extend } from "../../domain/json/Document.ts"
import type { FieldVisibility } from "../../domain/records/Records.ts"
import { applySpending, type Spending, spendingOf } from "../../domain/records/Spending.ts"
import type { StoreId } from "../../domain/Store.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { orDefect } from "../sql/Errors.ts"
import { pageReader } from "../sql/Pages.ts"
import type { SortKey } from "../sql/Queries.ts"
import { type Fragment, sql } from "../sql/Statement.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { traced } from "../telemetry/Traced.ts"
import {
  CHANGED_KEY,
  numberKey,
  RecordRepository,
  type RecordTable,
  splitRecord,
  textKey,
  visible,
  type WrittenRecord
} from "./Records.ts"
import { CUSTOMERS } from "./Customers.ts"
import { DATE, makeSummarize } from "./OrderSummary.ts"
import { containsText, textCandidates, withoutHash } from "./TextSearch.ts"
import { dateOf, idsOf, upsertPlanner, type StoreClock } from "./Upserts.ts"

const ORDERS: RecordTable = { table: "orders", document: OrderDocument, personal: PERSONAL_OF_ORDER }

/** An order is written, and its customers before and after: each write has its own instant. */
const TICKS = 3

const KEYS = {
  number: textKey("number"),
  total: numberKey("total"),
  placedAt: { value: DATE, type: "text", isIndexed: true },
  updatedAt: CHANGED_KEY
} as const satisfies Record<string, SortKey>

/** Conditions on the status. Their text contains it, because the planner finds no partial index by a parameter. */
const STATUS_IS: Record<typeof Status.Type, Fragment> = {
  open: sql`${visible("status")} = 'open'`,
  completed: sql`${visible("status")} = 'completed'`,
  cancelled: sql`${visible("status")} = 'cancelled'`
}

const TOTAL = sql`${visible("total")}::numeric`

/** Compiles the filter of a list of orders. */
export const orderConditions = (
  { customerId, number, placedBefore, placedSince, search, status, totalFrom, totalTo }: Omit<OrderQuery, "sort">,
  visibility: FieldVisibility
): ReadonlyArray<Fragment> => [
  ...(search === undefined ? [] : [containsText("order_text", search, visibility)]),
  ...(number === undefined ? [] : [sql`ltrim(lower(${visible("number")}), '#') = lower(${withoutHash(number)}::text)`]),
  ...(status === undefined ? [] : [STATUS_IS[status]]),
  ...(customerId === undefined ? [] : [sql`${visible("customerId")} = ${customerId}`]),
  ...(placedSince === undefined ? [] : [sql`${DATE} >= ${placedSince}`]),
  ...(placedBefore === undefined ? [] : [sql`${DATE} < ${placedBefore}`]),
  ...(totalFrom === undefined ? [] : [sql`${TOTAL} >= ${JSON.stringify(totalFrom)}::numeric`]),
  ...(totalTo === undefined ? [] : [sql`${TOTAL} <= ${JSON.stringify(totalTo)}::numeric`])
]

const readPage = pageReader(OrderId, OrderDocument)

const plan = upsertPlanner({ id: OrderId, document: OrderDocument, personal: PERSONAL_OF_ORDER, make: orderOf })

const customerOf = ({ customerId = null }: PutOrder) => customerId

export const OrdersLive = Layer.effect(
  Orders,
  Effect.gen(function* () {
    const { allocateInstants } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork
    const records = yield* RecordRepository
    const summarize = yield* makeSummarize

    /** Returns the customers whose totals change with their orders. */
    const changedCustomers = Effect.fnUntraced(function* (
      store: StoreId,
      spending: ReadonlyMap<CustomerId, Spending>,
      { tick }: StoreClock
    ) {
      const known = yield* records.findByIds("customers", store, [...spending.keys()])
      const changed = new Map<string, WrittenRecord>()
      for (const [id, change] of spending) {
        const stored = known.get(id)
        if (stored === undefined) continue
        const changedAt = tick()
        const before = CustomerDocument.parse(extend(stored.document, stored.personal))
        const customer = applySpending(before, change, dateOf(changedAt))
        changed.set(id, { changedAt, ...splitRecord(customer, PERSONAL_OF_CUSTOMER, stored) })
      }
      return changed
    })

    return Orders.of({
      summarize,

      list: traced("Orders.list")(
        (store, request) => readPage(records.pageStatement(ORDERS, store, request)),
        orDefect
      ),

      query: traced("Orders.query")((store, { sort = "-placedAt", ...request }, page, visibility) =>
        records.queryPage(
          ORDERS,
          store,
          {
            sort,
            keys: KEYS,
            request,
            conditions: orderConditions(request, visibility),
            candidates: request.search === undefined ? undefined : textCandidates("order_text", store, request.search)
          },
          page,
          visibility
        )
      ),

      get: traced("Orders.get")(function* (store, id, visibility) {
        const json = yield* records.findById(ORDERS, store, id, visibility)
        return Option.isSome(json) ? json.value : yield* new OrderNotFound({ id })
      }),

      upsert: traced("Orders.upsert")(function* (store, upserts) {
        const clock = yield* allocateInstants(store, TICKS * upserts.length)
        const named = new Set(upserts.flatMap(({ input }) => customerOf(input) ?? []))
        const known = yield* records.findByIds("customers", store, [...named])
        const refusalOf = (input: PutOrder) => {
          const id = customerOf(input)
          return id === null || known.has(id) ? undefined : new UnknownCustomer({ id })
        }
        const stored = yield* records.findByIds("orders", store, idsOf(upserts))
        const { changes, outcomes, written } = plan(stored, upserts, clock, refusalOf)
        const customers = yield* changedCustomers(store, spendingOf(changes), clock)
        yield* unitOfWork.add(
          ...records.upsertStatements(ORDERS, store, written),
          ...records.upsertStatements(CUSTOMERS, store, customers)
        )
        return outcomes
      })
    })
  })
)
