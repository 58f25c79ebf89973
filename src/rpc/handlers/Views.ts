import { Effect, Function as Fn } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { collectionOf, Views } from "../../domain/views/Views.ts"
import * as Rpcs from "../groups/Views.ts"
import { merchantIn } from "./Authorization.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, documentJson } from "./StoredJson.ts"

export const makeViewHandlers = Effect.gen(function* () {
  const views = yield* Views
  const catalog = yield* Catalog
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "views.list": storeHandler(
      Rpcs.listViews,
      ({ payload: { resource, storeId }, principal }) =>
        Effect.flatMap(merchantIn(principal), ({ id }) => views.list(storeId, id, resource)),
      Fn.identity
    ),
    "views.create": writeHandler(
      Rpcs.createView,
      ({ storeId, view }, principal) =>
        Effect.flatMap(merchantIn(principal), ({ id }) => views.create(storeId, id, view)),
      Fn.identity
    ),
    "views.update": writeHandler(
      Rpcs.updateView,
      ({ id, storeId, view }, principal) =>
        Effect.flatMap(merchantIn(principal), (member) => views.update(storeId, member.id, id, view)),
      Fn.identity
    ),
    "views.delete": writeHandler(
      Rpcs.deleteView,
      ({ id, storeId }, principal) =>
        Effect.flatMap(merchantIn(principal), (member) => views.delete(storeId, member.id, id)),
      deletedJson
    ),
    "views.toCollection": writeHandler(
      Rpcs.createCollectionOfView,
      ({ id, storeId }, principal) =>
        Effect.gen(function* () {
          const member = yield* merchantIn(principal)
          const view = yield* views.get(storeId, member.id, id)
          return yield* catalog.createCollection(storeId, yield* Effect.fromResult(collectionOf(view)))
        }),
      documentJson
    )
  }
})
