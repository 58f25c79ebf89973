import { Effect } from "effect"
import type { JsonText } from "../../domain/Document.ts"
import { AppData } from "../../domain/records/AppData.ts"
import * as Api from "../api/AppData.ts"
import type { HandlersOf } from "../Handler.ts"
import { type Answer, page, plain } from "./Answers.ts"
import { read } from "./Reads.ts"
import { makeWrite } from "./Writes.ts"

const entry = (json: JsonText): Answer => ({ body: `{"data":${json}}`, etag: null })

const asIs = (answer: Answer) => answer

export const makeAppDataHandlers = Effect.gen(function* () {
  const appData = yield* AppData
  const write = yield* makeWrite

  return {
    putAppData: write(
      Api.putAppData,
      ({ body, installation, path }) => appData.put(installation, path.namespace, body),
      entry
    ),
    getAppData: read(
      Api.getAppData,
      ({ installation, path: { namespace }, query: { key, ...request } }) =>
        key === undefined
          ? Effect.map(appData.list(installation, namespace, request), page("entries"))
          : Effect.map(appData.get(installation, namespace, key), entry),
      asIs
    ),
    deleteAppData: write(
      Api.deleteAppData,
      ({ installation, path, query }) => appData.delete(installation, path.namespace, query.key),
      (_, { path, query }) => plain({ namespace: path.namespace, key: query.key, deleted: true })
    )
  } satisfies HandlersOf<typeof Api.AppDataGroup>
})
