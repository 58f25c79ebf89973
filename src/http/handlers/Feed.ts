import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Grants, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { visibilityOf } from "../../domain/access/Visibility.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
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
import { InstallationCheck } from "../api/Middleware.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { ok, plain, read } from "./Responses.ts"

/** Returns what the installation reads. Fails if a named subject is not granted. */
const subjectsOf = (grants: Grants, named: ReadonlyArray<FeedSubject> | undefined) =>
  Effect.mapError(
    Effect.fromResult(readableSubjects(visibilityOf(grants), named)),
    (scope) => new ScopeNotGranted({ scopes: [scope] })
  )

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
            Effect.andThen(subjectsOf(installation, [resource]), digests.get(installation.storeId, resource)),
          plain
        )
      )
      .handle("listChanges", ({ endpoint: { identifier: name }, query }) =>
        read(
          (installation) =>
            Effect.gen(function* () {
              const { storeId } = installation
              const resources = yield* subjectsOf(installation, query.resources)
              const request = { ...query, resources }
              const { recheck } = yield* InstallationCheck
              const weight = feedWeight(request)
              return yield* feed.list(storeId, request, {
                permit: (work) => withPermit({ storeId, name, weight, bytes: 0 }, work, feedPageSize),
                recheck: Effect.flatMap(recheck, (current) => subjectsOf(current, resources)),
                stopping
              })
            }),
          (page) => ok(feedPageJson(page))
        )
      )
  })
)
