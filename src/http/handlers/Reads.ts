import { Effect, type Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Installation } from "../../domain/access/Installations.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { AdmissionRefused } from "../api/Access.ts"
import type { Call } from "../Call.ts"
import type { PublicError } from "../ErrorTable.ts"
import { type Handler, readEndpoint } from "../Handler.ts"
import { type Answer, toReply } from "./Answers.ts"

interface ReadInput<Path, Query> {
  readonly installation: Installation
  readonly store: StoreId
  readonly path: Path
  readonly query: Query
}

/** Handles a read: answers with what `run` finds. It may refuse with what the endpoint's definition declares. */
export const read = <
  Name extends string,
  Path extends string,
  Params extends Schema.Codec<unknown, unknown>,
  Query extends Schema.Codec<unknown, unknown>,
  Success extends Schema.Top,
  Refusal extends Schema.Codec<PublicError, unknown>,
  Found
>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, "GET", Path, Params, Query, never, never, Success, Refusal>,
  run: (
    input: ReadInput<Params["Type"], Query["Type"]>
  ) => Effect.Effect<Found, NoInfer<Refusal>["Type"] | AdmissionRefused>,
  toAnswer: (found: Found) => Answer
): Handler<Name> => {
  const { decodePath, decodeQuery, route, status } = readEndpoint(endpoint)
  return {
    ...route,
    handle: Effect.fnUntraced(function* (call: Call) {
      const path = yield* Effect.fromResult(decodePath(call.params, false))
      const query = yield* Effect.fromResult(decodeQuery(call.query, false))
      const { installation } = call
      const found = yield* run({ installation, store: installation.storeId, path, query })
      return toReply({ status, ...toAnswer(found) })
    })
  }
}
