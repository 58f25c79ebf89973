import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Grants, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
import {
  ChangeFeed,
  feedPageJson,
  feedPageSize,
  FeedResource,
  type FeedSubject,
  readScopesOf,
  scopeEnd
} from "../../domain/journal/ChangeFeed.ts"
import { Digests } from "../../domain/journal/Digest.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { ok, plain, read } from "./Responses.ts"

/** Returns what the installation reads, of what is named or all resources. Fails if a named one is not granted. */
const readableSubjects = ({ scopes }: Grants, named: ReadonlyArray<FeedSubject> | undefined) => {
  const missingOf = (subject: FeedSubject) => readScopesOf(subject).filter((scope) => !scopes.includes(scope))
  const missing = named?.flatMap(missingOf)[0]
  return missing === undefined
    ? Effect.succeed(named ?? FeedResource.literals.filter((resource) => missingOf(resource).length === 0))
    : Effect.fail(new ScopeNotGranted({ scopes: [missing] }))
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
            Effect.andThen(readableSubjects(installation, [resource]), digests.get(installation.storeId, resource)),
          plain
        )
      )
      .handle("listChanges", ({ endpoint: { identifier: name }, query }) =>
        read(
          (installation) =>
            Effect.gen(function* () {
              const { storeId } = installation
              const resources = yield* readableSubjects(installation, query.resources)
              const isHeavy = query.include === "document" || resources.includes("memberships")
              const weight = isHeavy ? "heavy" : "usual"
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
