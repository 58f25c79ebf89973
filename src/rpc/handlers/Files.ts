import { Context, Effect, Function as Fn } from "effect"
import { Files } from "../../domain/media/Files.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Files.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, pageJson } from "./StoredJson.ts"

/** URL of the service, with which the URLs of files begin. */
export class FileOrigin extends Context.Service<FileOrigin, string>()("rpc/FileOrigin") {}

export const makeFileHandlers = Effect.gen(function* () {
  const files = yield* Files
  const origin = yield* FileOrigin
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "files.list": storeHandler(
      Rpcs.listFiles,
      ({ payload }) => files.listUsed(payload.storeId, toPageRequest(payload), payload, origin),
      pageJson
    ),
    "files.update": writeHandler(
      Rpcs.updateFile,
      ({ alt, id, storeId }) => files.updateAlt(storeId, id, alt, origin),
      Fn.identity
    ),
    "files.delete": writeHandler(Rpcs.deleteFile, ({ id, storeId }) => files.delete(storeId, id), deletedJson)
  }
})
