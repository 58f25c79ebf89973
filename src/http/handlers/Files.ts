import { Effect, Schema, type Scope, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HttpServerRequest, Multipart } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type CapabilityNotGranted, refusalOf, type ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import type { InstallationSuspended } from "../../domain/access/Installations.ts"
import { receiveWhileGranted } from "../../domain/access/OngoingAccess.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { Actor } from "../../domain/Actor.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { AltText, type FileDetails, FileName, FileTooLarge, type ImagesBusy } from "../../domain/media/File.ts"
import { type FileRefused, Files, type ReceivedFile } from "../../domain/media/Files.ts"
import type { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { CurrentInstallation, CurrentKey, InstallationCheck } from "../api/Middleware.ts"
import { WRITES_FILES } from "../api/Files.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { PublicUrl } from "../headers/Origin.ts"
import { baseUrl } from "../server/HttpListener.ts"
import { type BodyTooLarge, readLargeBody } from "../server/LargeBody.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import {
  type ApiResponse,
  decodeResponse,
  deleted,
  encodeResponse,
  entry,
  jsonResponse,
  page,
  read
} from "./Responses.ts"
import { makeFileCreation } from "./MemberFiles.ts"
import { decodeCausingEvent, makeWrites } from "./Writes.ts"

/** Name of a file that the client does not name. */
const UNNAMED = "file"

const isMultipart = ({ headers }: IncomingMessage) => /^multipart\/form-data\b/i.test(headers["content-type"] ?? "")

const decodeDetails = decodeWith(Schema.Struct({ name: optional(FileName), alt: optional(AltText) }))

const badRequest = (reason: string) => new BadRequest({ reason })

/** Small, because only names and texts are fields. */
const LIMITS = Multipart.limitsServices({ maxParts: 8, maxFieldSize: 16_384 })

/** Errors of access that ended while the bytes were sent. */
type AccessEnded = InvalidToken | InstallationSuspended | StoreNotFound | ScopeNotGranted | CapabilityNotGranted

/** Checks again if the installation may upload. */
const recheckAccess = Effect.map(InstallationCheck, ({ recheck }) =>
  Effect.flatMap(recheck, (current): Effect.Effect<void, AccessEnded> => {
    const refusal = refusalOf(current, WRITES_FILES)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  })
)

type BodyError = BadRequest | BodyTooLarge | AccessEnded

type ReceiveError = AccessEnded | BadRequest | FileRefused | ImagesBusy | StorageUnavailable

interface Received {
  readonly file: ReceivedFile
  readonly details: Partial<FileDetails>
}

/** Receives the file and the fields of a form, in any order. */
const receiveForm = Effect.fnUntraced(function* (
  request: IncomingMessage,
  body: Stream.Stream<Uint8Array, BodyError>,
  receive: <E>(
    bytes: Stream.Stream<Uint8Array, E>
  ) => Effect.Effect<ReceivedFile, E | FileRefused | ImagesBusy | StorageUnavailable, Scope.Scope>
) {
  const headers = { "content-type": request.headers["content-type"] ?? "" }
  const parts = Stream.pipeThroughChannel(body, Multipart.makeChannel<BodyError>(headers))
  let file: ReceivedFile | undefined
  let partName: string | undefined
  const fields = new Map<string, string>()
  yield* Stream.runForEach(parts, (part): Effect.Effect<void, ReceiveError | Multipart.MultipartError, Scope.Scope> => {
    if (part._tag === "Field") return Effect.sync(() => void fields.set(part.key, part.value))
    if (file !== undefined) return badRequest("The form must have one file; send each file in a request of its own")
    partName = part.name
    return Effect.map(receive(part.content), (received) => void (file = received))
  })
  if (file === undefined) return yield* badRequest("The form has no file")
  const { alt, name = partName } = Object.fromEntries(fields)
  const details = yield* Effect.fromResult(
    decodeDetails({ ...(name ? { name } : {}), ...(alt === undefined ? {} : { alt }) }, false)
  )
  return { file, details } satisfies Received
}, Effect.provide(LIMITS))

const createdFile = (json: JsonText): ApiResponse => ({ ...entry(json), status: 201 })

export const FilesLive = HttpApiBuilder.group(
  PartnerApi,
  "Files",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    const createOnce = yield* makeFileCreation
    const { remove } = yield* makeWrites
    const origin = (yield* PublicUrl) ?? (yield* baseUrl)

    /** Receives a file from the body of a request, or from the form in it. */
    const receiveFrom = (
      request: IncomingMessage,
      body: Stream.Stream<Uint8Array, BodyError>,
      store: StoreId
    ): Effect.Effect<Received, ReceiveError, Scope.Scope> => {
      const receive = <E>(bytes: Stream.Stream<Uint8Array, E>) => files.receive(store, bytes)
      const received = isMultipart(request)
        ? receiveForm(request, body, receive)
        : Effect.map(receive(body), (file): Received => ({ file, details: {} }))
      return Effect.catchTags(received, {
        BodyTooLarge: () => new FileTooLarge(),
        MultipartError: () => badRequest("The form is incomplete or malformed; send multipart/form-data with one file")
      })
    }

    /**
     * Receives the bytes before the write, so that a slow client holds neither a connection nor a slot of its store. A
     * replayed or refused request leaves bytes without a file, which are deleted later.
     */
    const create = Effect.fnUntraced(function* (query: Partial<FileDetails>) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { id, storeId } = yield* CurrentInstallation
      const key = yield* CurrentKey
      const { req, requestId } = yield* currentResponse
      const cause = yield* decodeCausingEvent(request.headers["x-service-event-id"])
      const body = receiveWhileGranted(yield* recheckAccess)(readLargeBody(req))
      const { details, file } = yield* receiveFrom(req, body, storeId)
      const named = { name: UNNAMED, alt: "", ...query, ...details }
      const context = { storeId, actor: Actor.App({ id }), surface: "rest", cause, requestId, mode: "perform" } as const
      const outcome = yield* createOnce({
        context,
        key,
        target: request.url,
        received: file,
        details: named,
        encode: (json) => encodeResponse(createdFile(json))
      })
      return jsonResponse(decodeResponse(outcome.text), outcome.replayed ? { "idempotent-replayed": "true" } : {})
    }, Effect.scoped)

    return handlers
      .handleRaw("createFile", ({ query }) => create(query))
      .handle("listFiles", ({ query: { search, ...request } }) =>
        read(({ storeId }) => files.list(storeId, request, search, origin), page("files"))
      )
      .handle("getFile", ({ params: { id } }) => read(({ storeId }) => files.get(storeId, id, origin), entry))
      .handle("deleteFile", ({ params: { id } }) =>
        remove(
          ({ store }) => files.delete(store, id),
          () => deleted(id)
        )
      )
  })
)
