import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AppData, PutAppData } from "../../domain/records/AppData.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { entry, page, plain, read } from "./Responses.ts"
import { makeWrites, payloadOf } from "./Writes.ts"

const newEntry = payloadOf(PutAppData)

export const AppDataLive = HttpApiBuilder.group(
  PartnerApi,
  "App data",
  Effect.fnUntraced(function* (handlers) {
    const appData = yield* AppData
    const { remove, write } = yield* makeWrites

    return handlers
      .handleRaw("putAppData", ({ params: { namespace } }) =>
        write(newEntry, ({ body, installation }) => appData.put(installation, namespace, body), entry)
      )
      .handle("getAppData", ({ params: { namespace }, query: { key, ...request } }) =>
        key === undefined
          ? read((installation) => appData.list(installation, namespace, request), page("entries"))
          : read((installation) => appData.get(installation, namespace, key), entry)
      )
      .handle("deleteAppData", ({ params: { namespace }, query: { key } }) =>
        remove(
          ({ installation }) => appData.delete(installation, namespace, key),
          () => plain({ namespace, key, deleted: true })
        )
      )
  })
)
