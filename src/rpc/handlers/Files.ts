import { Context, Effect, Function as Fn } from "effect"
import { Files } from "../../domain/media/Files.ts"
import { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { nameOfUrl, RemoteFiles } from "../../domain/media/RemoteFiles.ts"
import { ServiceUnavailable } from "../Authentication.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Files.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, pageJson } from "./StoredJson.ts"

/** URL of the service, with which the URLs of files begin. */
export class FileOrigin extends Context.Service<FileOrigin, string>()("rpc/FileOrigin") {}

/** The storage logs its failures itself. */
const withoutCause = <A, E, R>(effect: Effect.Effect<A, E | StorageUnavailable, R>) =>
  Effect.catchIf(
    effect,
    (error): error is StorageUnavailable => error instanceof StorageUnavailable,
    () => new ServiceUnavailable()
  )

export const makeFileHandlers = Effect.gen(function* () {
  const files = yield* Files
  const origin = yield* FileOrigin
  const remote = yield* RemoteFiles
  const { preparedHandler, storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "files.list": storeHandler(
      Rpcs.listFiles,
      ({ payload }) => files.listUsed(payload.storeId, toPageRequest(payload), payload, origin),
      pageJson
    ),
    "files.fetch": preparedHandler(
      Rpcs.fetchFile,
      {
        check: ({ url }) => remote.check(url),
        prepare: ({ storeId, url }) => withoutCause(remote.receive(storeId, url)),
        keep: ({ storeId }, received) => withoutCause(files.keep(storeId, received)),
        write: ({ alt = "", storeId, url, name = nameOfUrl(url) }, received) =>
          withoutCause(files.create(storeId, received, { name, alt }, origin))
      },
      Fn.identity
    ),
    "files.update": writeHandler(
      Rpcs.updateFile,
      ({ alt, id, storeId }) => files.updateAlt(storeId, id, alt, origin),
      Fn.identity
    ),
    "files.delete": writeHandler(Rpcs.deleteFile, ({ id, storeId }) => files.delete(storeId, id), deletedJson)
  }
})
