import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Grants, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
import {
  ChangeFeed,
  feedPageJson,
  feedPageSize,
  FeedResource,
  readScopeOf,
  scopeEnd
} from "../../domain/journal/ChangeFeed.ts"
import { Digests } from "../../domain/journal/Digest.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { ok, plain, read } from "./Responses.ts"

/** Returns the resources that the installation reads, of those named or all. Fails if a named one is not granted. */
const readableResources = ({ scopes }: Grants, named: ReadonlyArray<FeedResource> | undefined) => {
  const isReadable = (resource: FeedResource) => scopes.includes(readScopeOf(resource))
  const refused = named?.find((resource) => !isReadable(resource))
  return refused === undefined
    ? Effect.succeed(named ?? FeedResource.literals.filter(isReadable))
    : Effect.fail(new ScopeNotGranted({ scopes: [readScopeOf(refused)] }))
}

export const FeedLive = HttpApiBuilder.group(
  PartnerApi,
  "Feed",
  Effect.fnUntraced(function* (handlers) {
    const feed = yield* ChangeFeed
    const digests = yield* Digests
    const { withPermit } = yield* Bulkhead
    const stopping = yield* scopeEnd

    return handlers
      .handle("getDigest", ({ query: { resource } }) =>
        read(
          (installation) =>
            Effect.andThen(readableResources(installation, [resource]), digests.get(installation.storeId, resource)),
          plain
        )
      )
      .handle("listChanges", ({ endpoint: { identifier: name }, query }) =>
        read(
          (installation) =>
            Effect.gen(function* () {
              const { storeId } = installation
              const resources = yield* readableResources(installation, query.resources)
              const weight = query.include === "document" ? "heavy" : "usual"
              return yield* feed.list(
                storeId,
                { ...query, resources },
                {
                  permit: (work) => withPermit({ storeId, name, weight, bytes: 0 }, work, feedPageSize),
                  stopping
                }
              )
            }),
          (page) => ok(feedPageJson(page))
        )
      )
  })
)
