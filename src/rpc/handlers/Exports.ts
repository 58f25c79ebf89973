import { Effect } from "effect"
import { Exports } from "../../domain/exports/Exports.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Exports.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, encodeSuccess, pageJson } from "./StoredJson.ts"

export const makeExportHandlers = Effect.gen(function* () {
  const exports = yield* Exports
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "exports.create": writeHandler(
      Rpcs.createExport,
      ({ idempotencyKey: _, storeId, ...content }) => exports.create(storeId, content),
      encodeSuccess(Rpcs.createExport)
    ),
    "exports.list": storeHandler(
      Rpcs.listExports,
      ({ payload }) => exports.list(payload.storeId, toPageRequest(payload)),
      pageJson
    ),
    "exports.get": storeHandler(
      Rpcs.getExport,
      ({ payload: { id, storeId } }) => exports.get(storeId, id),
      encodeSuccess(Rpcs.getExport)
    ),
    "exports.read": storeHandler(
      Rpcs.readExport,
      ({ payload: { id, part, storeId } }) => exports.readPart(storeId, id, part),
      encodeSuccess(Rpcs.readExport)
    ),
    "exports.cancel": storeHandler(
      Rpcs.cancelExport,
      ({ payload: { id, storeId } }) => Effect.andThen(exports.cancel(storeId, id), exports.get(storeId, id)),
      encodeSuccess(Rpcs.cancelExport)
    ),
    "exports.delete": storeHandler(
      Rpcs.deleteExport,
      ({ payload: { id, storeId } }) => exports.delete(storeId, id),
      deletedJson
    )
  }
})
