import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { scopesOfRules } from "../../domain/access/Visibility.ts"
import type { Rule } from "../../domain/catalog/Rule.ts"
import * as Rpcs from "../groups/Collections.ts"
import { toPageRequest, toVersionCondition } from "../groups/CommonSchemas.ts"
import type { Principal } from "../Principal.ts"
import { requireScopes } from "./Authorization.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, encodeSuccess, pageJson, documentJson, queryPageJson } from "./StoredJson.ts"

/** Fails if rules compare a field that the principal does not see. */
const requireRules = (principal: Principal, rules: ReadonlyArray<Rule> | undefined) =>
  requireScopes(principal, scopesOfRules(rules))

export const makeCollectionHandlers = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "collections.list": storeHandler(
      Rpcs.listCollections,
      ({ payload }) => catalog.listCollections(payload.storeId, { ...payload, ...toPageRequest(payload) }),
      pageJson
    ),
    "collections.query": storeHandler(
      Rpcs.queryCollections,
      ({ payload: { cursor, limit = DEFAULT_LIMIT, storeId, ...query } }) =>
        catalog.queryCollections(storeId, query, { cursor, limit }),
      queryPageJson
    ),
    "collections.get": storeHandler(
      Rpcs.getCollection,
      ({ payload }) => catalog.getCollection(payload.storeId, payload.id),
      documentJson
    ),
    "collections.create": writeHandler(
      Rpcs.createCollection,
      ({ collection, storeId }, principal) =>
        Effect.andThen(requireRules(principal, collection.rules), catalog.createCollection(storeId, collection)),
      documentJson
    ),
    "collections.update": writeHandler(
      Rpcs.updateCollection,
      (payload, principal) =>
        Effect.andThen(
          requireRules(principal, payload.patch.rules),
          catalog.updateCollection(payload.storeId, payload.id, payload.patch, toVersionCondition(payload))
        ),
      documentJson
    ),
    "collections.delete": writeHandler(
      Rpcs.deleteCollection,
      (payload) => catalog.deleteCollection(payload.storeId, payload.id, toVersionCondition(payload)),
      deletedJson
    ),
    "collections.preview": storeHandler(
      Rpcs.previewCollection,
      ({ payload: { storeId, ...rules } }) => catalog.previewCollection(storeId, rules),
      ({ items, productCount }) => `{"productCount":${productCount},"items":${items}}`
    ),
    "collections.why": storeHandler(
      Rpcs.explainMembership,
      ({ payload: { productId, storeId, ...rules } }) => catalog.explainMembership(storeId, productId, rules),
      encodeSuccess(Rpcs.explainMembership)
    )
  }
})
