import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import type { Installation } from "../../domain/access/Installations.ts"
import { maskChangeSet } from "../../domain/access/Masks.ts"
import { receiveWhileGranted } from "../../domain/access/OngoingAccess.ts"
import { Actor } from "../../domain/Actor.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
import { OperationScopeMissing } from "../../domain/changeSets/Refusals.ts"
import {
  type ChangeSetRight,
  ChangeSets,
  findMissingScopes,
  scopeGroupsOf
} from "../../domain/changeSets/ChangeSets.ts"
import { type ChangeSetFormat, receiveChangeSet } from "../../domain/changeSets/Reception.ts"
import { Idempotency } from "../../domain/Idempotency.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { ApplyChangeSet } from "../api/ChangeSets.ts"
import { CurrentInstallation, CurrentKey, InstallationCheck } from "../api/Middleware.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { formatPreferenceApplied, parsePrefer } from "../headers/Preferences.ts"
import { makeMediaTypeTest } from "../server/BodyReader.ts"
import { readLargeBody, readWhole } from "../server/LargeBody.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import { type ApiResponse, decodeResponse, encodeResponse, entry, jsonResponse, page, read } from "./Responses.ts"
import { decodeCausingEvent, makeWrites, optionalPayloadOf, withoutBody } from "./Writes.ts"

/** An app sees its own sets. */
const rightOf = ({ id, scopes }: Installation): ChangeSetRight => ({ scopes, ownId: id })

const isJson = makeMediaTypeTest("application/json")
const isNdjson = makeMediaTypeTest("application/x-ndjson")

const badRequest = (reason: string) => new BadRequest({ reason })

/** Finds the format of a body by its media type. */
const changeSetFormat = (contentType: string | undefined): Effect.Effect<ChangeSetFormat, BadRequest> => {
  if (isJson(contentType)) return Effect.succeed("json")
  return isNdjson(contentType)
    ? Effect.succeed("ndjson")
    : Effect.fail(badRequest("The Content-Type must be application/json or application/x-ndjson"))
}

const createdSet = (json: JsonText): ApiResponse => ({ ...entry(json), status: 201 })

const application = optionalPayloadOf(ApplyChangeSet)

export const ChangeSetsLive = HttpApiBuilder.group(
  PartnerApi,
  "ChangeSets",
  Effect.fnUntraced(function* (handlers) {
    const sets = yield* ChangeSets
    const { once } = yield* Idempotency
    const { withPermit } = yield* Bulkhead
    const { write } = yield* makeWrites

    /**
     * Receives the operations before the write, so that a slow client holds neither a connection nor a slot of its store.
     * A replayed or refused request discards them.
     */
    const create = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const installation = yield* CurrentInstallation
      const key = yield* CurrentKey
      const { req, requestId } = yield* currentResponse
      const { strict } = parsePrefer(request.headers["prefer"])
      const cause = yield* decodeCausingEvent(request.headers["x-service-event-id"])
      const { id: installationId, storeId } = installation
      const operation = { storeId, name: "createChangeSet", weight: "usual", bytes: 0 } as const
      const format = yield* changeSetFormat(req.headers["content-type"])
      const id = yield* sets.begin(storeId)

      let current = installation
      const recheck = Effect.map((yield* InstallationCheck).recheck, (now) => void (current = now))
      const body = readWhole(receiveWhileGranted(recheck)(readLargeBody(req)))
      const bytes = Stream.catchTag(body, "BodyTooLarge", ({ message }) => Stream.fail(badRequest(message)))
      const receive = Effect.gen(function* () {
        const hash = createHash("sha256").update(`POST ${request.url}\n`)
        const { content, header } = yield* receiveChangeSet(bytes, format, strict, {
          stage: (first, operations) => withPermit(operation, sets.stage(storeId, id, first, operations), () => 0),
          update: (text) => hash.update(text)
        })
        const missing = findMissingScopes(scopeGroupsOf(content), current.scopes)
        if (missing !== undefined) return yield* new OperationScopeMissing({ scopes: missing })
        const context = {
          storeId,
          actor: Actor.App({ id: installationId }),
          surface: "rest",
          cause,
          requestId,
          mode: "perform"
        } as const
        return yield* withPermit(
          operation,
          once(context, { key, fingerprint: hash.digest() }, sets.create(context, id, header, content), (json) =>
            encodeResponse(createdSet(json))
          ),
          () => 0
        )
      })
      const outcome = yield* Effect.ensuring(receive, sets.discard(storeId, id))
      return jsonResponse(decodeResponse(outcome.text), {
        ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
        ...formatPreferenceApplied({ strict, "dry-run": false }, true)
      })
    })

    return handlers
      .handleRaw("createChangeSet", () => create)
      .handle("listChangeSets", ({ query }) =>
        read((installation) => sets.list(installation.storeId, query, rightOf(installation)), page("changeSets"))
      )
      .handle("getChangeSet", ({ params: { id } }) =>
        read((installation) => sets.get(installation.storeId, id, rightOf(installation)), entry)
      )
      .handle("listChangeSetResults", ({ params: { id }, query: { outcome, ...request } }) =>
        read(
          (installation) => sets.results(installation.storeId, id, request, outcome, rightOf(installation)),
          page("results")
        )
      )
      .handleRaw("applyChangeSet", ({ params: { id } }) =>
        write(
          application,
          ({ body: { onConflict = "skip" }, installation, store }) =>
            sets
              .apply(store, id, onConflict, rightOf(installation), Actor.App({ id: installation.id }))
              .pipe(
                Effect.catchTags({ InvalidToken: Effect.die, ApprovalNeeded: Effect.die, BudgetSpent: Effect.die })
              ),
          entry,
          maskChangeSet
        )
      )
      .handleRaw("cancelChangeSet", ({ params: { id } }) =>
        write(
          withoutBody,
          ({ installation, store }) => sets.cancel(store, id, rightOf(installation)),
          entry,
          maskChangeSet
        )
      )
      .handleRaw("undoChangeSet", ({ params: { id } }) =>
        write(
          withoutBody,
          ({ context, installation }) => sets.undo(context, id, rightOf(installation)),
          createdSet,
          maskChangeSet
        )
      )
  })
)
