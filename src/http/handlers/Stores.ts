import { Effect } from "effect"
import { Stores } from "../../domain/access/Stores.ts"
import * as Api from "../api/Stores.ts"
import type { HandlersOf } from "../Handler.ts"
import { plain } from "./Answers.ts"
import { read } from "./Reads.ts"

export const makeStoreHandlers = Effect.map(
  Stores,
  (stores) =>
    ({
      getStore: read(Api.getStore, ({ store }) => stores.get(store), plain)
    }) satisfies HandlersOf<typeof Api.StoreGroup>
)
