import { Context, Effect, Schema, Stream } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { visibilityOf } from "../../domain/access/Visibility.ts"
import { ChangeSet } from "../../domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
import { Changes } from "../../domain/journal/Changes.ts"
import { CATALOG_KINDS } from "../../domain/journal/Kinds.ts"
import {
  ChangeFeed,
  feedPageJson,
  feedPageSize,
  type FeedSubject,
  feedWeight,
  readableSubjects,
  scopeEnd
} from "../../domain/journal/ChangeFeed.ts"
import { Digests } from "../../domain/journal/Digest.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { followChangeSet } from "../groups/ChangeSets.ts"
import * as Rpcs from "../groups/Changes.ts"
import { AccessPolicy } from "../Annotations.ts"
import { CurrentPrincipal, grantsOf, type Principal } from "../Principal.ts"
import { makeEndedAccess } from "../server/EndedAccess.ts"
import { ServedStreams } from "../server/ServedRpcs.ts"
import { authorizePayload } from "./Authorization.ts"
import { rightOf } from "./ChangeSets.ts"
import { makeHandler } from "./Handler.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { encodeSuccess } from "./StoredJson.ts"

/** Returns what a principal reads. Fails if a scope is missing. */
const subjectsOf = (principal: Principal, named: ReadonlyArray<FeedSubject> | undefined) =>
  Effect.mapError(
    Effect.fromResult(readableSubjects(visibilityOf(grantsOf(principal)), named)),
    (scope) => new AgentScopeMissing({ scope })
  )

export const makeFeedHandlers = Effect.gen(function* () {
  const feed = yield* ChangeFeed
  const digests = yield* Digests
  const { withPermit } = yield* Bulkhead
  const { storeHandler } = yield* makeHandlerFactory
  const { recheck } = yield* makeEndedAccess
  const stopping = yield* scopeEnd
  const { _tag: name, annotations } = Rpcs.listChanges
  const policy = Context.get(annotations, AccessPolicy)

  return {
    "changes.list": makeHandler(
      Rpcs.listChanges,
      ({ limit = DEFAULT_LIMIT, resources, storeId, ...request }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const readable = yield* subjectsOf(principal, resources)
          const feedRequest = { ...request, limit, resources: readable }
          const weight = feedWeight(feedRequest)
          const page = yield* feed.list(storeId, feedRequest, {
            permit: (work) => withPermit({ storeId, name, weight, bytes: 0 }, work, feedPageSize),
            recheck: recheck(principal, storeId),
            stopping
          })
          return feedPageJson(page)
        }),
      (json) => authorizePayload(json, policy)
    ),

    "digest.get": storeHandler(
      Rpcs.getDigest,
      ({ payload: { resource, storeId }, principal }) =>
        Effect.andThen(subjectsOf(principal, [resource]), digests.get(storeId, resource)),
      encodeSuccess(Rpcs.getDigest)
    )
  }
})

const decodeSet = Schema.decodeUnknownSync(Schema.fromJsonString(ChangeSet))

export const StreamHandlers = ServedStreams.toLayer(
  Effect.gen(function* () {
    const { follow } = yield* Changes
    const decode = decodeWith(Rpcs.followChanges.payloadSchema)
    const policy = Context.get(Rpcs.followChanges.annotations, AccessPolicy)
    const sets = yield* ChangeSets
    const decodeSetPayload = decodeWith(followChangeSet.payloadSchema)
    const setPolicy = Context.get(followChangeSet.annotations, AccessPolicy)

    return ServedStreams.of({
      "changeSets.follow": (json) =>
        Stream.unwrap(
          Effect.gen(function* () {
            yield* authorizePayload(json, setPolicy)
            const { id, storeId } = yield* Effect.fromResult(decodeSetPayload(json, true))
            return Stream.map(sets.follow(storeId, id, rightOf(yield* CurrentPrincipal)), (set) => decodeSet(set))
          })
        ),
      "changes.follow": (json) =>
        Stream.unwrap(
          Effect.gen(function* () {
            yield* authorizePayload(json, policy)
            const { after, storeId } = yield* Effect.fromResult(decode(json, true))
            const { found } = visibilityOf(grantsOf(yield* CurrentPrincipal))
            if (found.length === 0) return yield* new AgentScopeMissing({ scope: CATALOG_KINDS.product.scopes.read })
            return follow(storeId, after, found)
          })
        )
    })
  })
)
