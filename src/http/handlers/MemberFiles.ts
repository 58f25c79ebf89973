import { Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { receiveWhileGranted } from "../../domain/access/OngoingAccess.ts"
import { ForeignOrigin, NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import { Actor } from "../../domain/Actor.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { Bulkhead } from "../../domain/Bulkhead.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { Idempotency, IdempotencyKey } from "../../domain/Idempotency.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { AltText, type FileDetails, FileName, FileTooLarge } from "../../domain/media/File.ts"
import { Files, type ReceivedFile } from "../../domain/media/Files.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { KeyMalformed, KeyMissing } from "../ErrorTable.ts"
import { makeSessionCookie } from "../headers/Credentials.ts"
import { makeOriginPolicy, PublicUrl } from "../headers/Origin.ts"
import { postRoute } from "../Reply.ts"
import { makeMediaTypeTest } from "../server/BodyReader.ts"
import { baseUrl } from "../server/HttpListener.ts"
import { readLargeBody } from "../server/LargeBody.ts"

/** Pages of other sites cannot send this type without a CORS preflight, which is not allowed. */
const isBytes = makeMediaTypeTest("application/octet-stream")

/**
 * Makes the authentication of a browser that sends bytes, which are not read before. Returns the member as an actor, and
 * a function that ends the reception of the bytes when the session or membership ends.
 */
export const makeMemberAdmission = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { isSameOrigin } = yield* makeOriginPolicy
  const { sessionToken } = yield* makeSessionCookie

  return Effect.fnUntraced(function* (request: IncomingMessage, stores: ReadonlyArray<StoreId>) {
    if (!isSameOrigin(request.headers)) return yield* new ForeignOrigin()
    if (!isBytes(request.headers["content-type"])) {
      return yield* new BadRequest({ reason: "The Content-Type must be application/octet-stream" })
    }
    const token = sessionToken(request.headers)
    if (token === undefined) return yield* new NotSignedIn()
    const member = yield* sessions.admit(token, stores, 1)
    if (member.admitted < 1) return yield* new RateLimitExceeded({ retryAfter: member.retryAfter })
    if (stores.some((store) => member.roles[store] === undefined)) return yield* new StoreNotFound()
    const { merchantId, sessionId } = member
    const recheck = Effect.flatMap(sessions.ended([{ merchantId, sessionId, stores }]), (ended) =>
      ended.length === 0 ? Effect.void : Effect.fail(new NotSignedIn())
    )
    return { actor: Actor.Merchant({ id: merchantId }), whileSignedIn: receiveWhileGranted(recheck) }
  })
})

interface FileCreation {
  readonly context: WriteContext
  readonly key: IdempotencyKey
  /** Path and query of the request, which its key belongs to. */
  readonly target: string
  readonly received: ReceivedFile
  readonly details: FileDetails
  readonly encode: (json: JsonText) => string
}

/** Makes the write that stores received bytes and creates their file, once for each key. */
export const makeFileCreation = Effect.gen(function* () {
  const files = yield* Files
  const { once } = yield* Idempotency
  const { withPermit } = yield* Bulkhead
  const origin = (yield* PublicUrl) ?? (yield* baseUrl)

  return ({ context, details, encode, key, received, target }: FileCreation) => {
    const { storeId } = context
    const { alt, name } = details
    const fingerprint = createHash("sha256")
      .update(`POST ${target}\n${JSON.stringify([received.hash, name, alt])}`)
      .digest()
    const write = Effect.andThen(
      files.keep(storeId, received),
      once(context, { key, fingerprint }, files.create(storeId, received, details, origin), encode)
    )
    return withPermit({ storeId, name: "createFile", weight: "heavy", bytes: 0 }, write, () => 0)
  }
})

const decodeUpload = decodeWith(Schema.Struct({ storeId: StoreId, name: FileName, alt: optional(AltText) }))

const isKey = Schema.is(IdempotencyKey)

const readKey = ({ headers }: IncomingMessage) => {
  const key = headers["idempotency-key"]
  if (key === undefined) return Effect.fail(new KeyMissing())
  return isKey(key) ? Effect.succeed(key) : Effect.fail(new KeyMalformed())
}

/**
 * Route by which the dashboard uploads a picture: `POST /rpc/files?storeId=…&name=…&alt=…`. The body is the file. Returns
 * the file as `POST /files` of the API does.
 */
export const FileUploadRoute = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* Files
    const create = yield* makeFileCreation
    const admit = yield* makeMemberAdmission

    return postRoute("/rpc/files", "Send files with POST", (request, { requestId }) =>
      Effect.gen(function* () {
        const query = Object.fromEntries(new URLSearchParams(request.url?.split("?")[1]))
        const { alt = "", name, storeId } = yield* Effect.fromResult(decodeUpload(query, true))
        const { actor, whileSignedIn } = yield* admit(request, [storeId])
        const key = yield* readKey(request)
        const received = yield* Effect.catchTag(
          files.receive(storeId, whileSignedIn(readLargeBody(request))),
          "BodyTooLarge",
          () => new FileTooLarge()
        )
        const context = { storeId, actor, surface: "rpc", cause: null, requestId, mode: "perform" } as const
        const details = { name, alt }
        const { text } = yield* create({
          context,
          key,
          target: "/rpc/files",
          received,
          details,
          encode: (json) => json
        })
        return { status: 201, body: `{"data":${text}}` }
      })
    )
  })
)
