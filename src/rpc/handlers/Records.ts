import { Effect, Function as Fn } from "effect"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { visibilityOf } from "../../domain/access/Visibility.ts"
import { grantsOf, type Principal } from "../Principal.ts"
import * as Rpcs from "../groups/Records.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { encodeSuccess, pageJson, queryPageJson } from "./StoredJson.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

const visibilityFor = (principal: Principal) => visibilityOf(grantsOf(principal))

export const makeRecordHandlers = Effect.gen(function* () {
  const orders = yield* Orders
  const customers = yield* Customers
  const { storeHandler } = yield* makeHandlerFactory

  return {
    "orders.list": storeHandler(
      Rpcs.listOrders,
      ({ payload, principal }) =>
        orders.list(payload.storeId, {
          ...toPageRequest(payload),
          isPersonal: visibilityFor(principal).isPersonal,
          updatedSince: payload.updatedSince
        }),
      pageJson
    ),
    "orders.query": storeHandler(
      Rpcs.queryOrders,
      ({ payload: { cursor, limit = DEFAULT_LIMIT, storeId, ...query }, principal }) =>
        orders.query(storeId, query, { cursor, limit }, visibilityFor(principal)),
      queryPageJson
    ),
    "orders.get": storeHandler(
      Rpcs.getOrder,
      ({ payload, principal }) => orders.get(payload.storeId, payload.id, visibilityFor(principal)),
      Fn.identity
    ),

    "orders.summary": storeHandler(
      Rpcs.summarizeOrders,
      ({ payload }) => orders.summarize(payload.storeId, payload.days),
      encodeSuccess(Rpcs.summarizeOrders)
    ),

    "customers.list": storeHandler(
      Rpcs.listCustomers,
      ({ payload, principal }) =>
        customers.list(payload.storeId, {
          ...toPageRequest(payload),
          isPersonal: visibilityFor(principal).isPersonal,
          updatedSince: payload.updatedSince
        }),
      pageJson
    ),
    "customers.query": storeHandler(
      Rpcs.queryCustomers,
      ({ payload: { cursor, limit = DEFAULT_LIMIT, storeId, ...query }, principal }) =>
        customers.query(storeId, query, { cursor, limit }, visibilityFor(principal)),
      queryPageJson
    ),
    "customers.get": storeHandler(
      Rpcs.getCustomer,
      ({ payload, principal }) => customers.get(payload.storeId, payload.id, visibilityFor(principal)),
      Fn.identity
    )
  }
})
