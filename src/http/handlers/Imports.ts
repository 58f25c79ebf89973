import { Effect, Layer, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { ForeignOrigin, NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import { Actor } from "../../domain/Actor.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { Encoding, FileSettings, ImportFiles, type ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { PublicError } from "../ErrorTable.ts"
import { makeSessionCookie } from "../headers/Credentials.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"
import { makeErrorReply, postRoute, type Reply } from "../Reply.ts"
import { makeMediaTypeTest } from "../server/BodyReader.ts"
import { type BodyTooLarge, readLargeBody } from "../server/LargeBody.ts"

const decodeImport = decodeWith(
  Schema.Struct({ storeId: StoreId, dryRun: optional(Schema.Boolean), settings: FileSettings })
)
const decodeReading = decodeWith(Schema.Struct({ encoding: optional(Encoding) }))

/** Pages of other sites cannot send this type without a CORS preflight, which is not allowed. */
const isBytes = makeMediaTypeTest("application/octet-stream")

/** Decodes the JSON of the query parameter `import`. */
const readQuery = <A>({ url = "" }: IncomingMessage, decode: ReturnType<typeof decodeWith<A, unknown>>) =>
  Effect.fromResult(parseUntrusted(new URLSearchParams(url.split("?")[1]).get("import") ?? "")).pipe(
    Effect.mapError(() => new BadRequest({ reason: "The query parameter `import` must be JSON" })),
    Effect.flatMap((json) => Effect.fromResult(decode(json, true)))
  )

/** Converts the errors of a file, which the table does not have. */
const withFileErrors = (
  reply: Effect.Effect<Reply, PublicError | ReadFailed | BodyTooLarge>
): Effect.Effect<Reply, PublicError> =>
  Effect.catchTags(reply, {
    BodyTooLarge: () =>
      Effect.succeed(makeErrorReply(413, "The file must be at most 64 MiB; split it, or use the import command")),
    ReadFailed: ({ message }) => Effect.fail(new BadRequest({ reason: message }))
  })

/**
 * Routes by which the dashboard sends files. `POST /rpc/imports` imports a file, or checks it as a dry run, and returns the
 * change set. `POST /rpc/imports/columns` returns the columns of the beginning of a CSV file. The body is the file,
 * optionally in gzip; the query parameter `import` has the settings as JSON.
 */
export const ImportRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* ImportFiles
    const sessions = yield* Sessions
    const { isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken } = yield* makeSessionCookie

    /** Authenticates the member of a browser. The bytes are not read before. */
    const admit = Effect.fnUntraced(function* (request: IncomingMessage, stores: ReadonlyArray<StoreId>) {
      if (!isSameOrigin(request.headers)) return yield* new ForeignOrigin()
      if (!isBytes(request.headers["content-type"])) {
        return yield* new BadRequest({ reason: "The Content-Type must be application/octet-stream" })
      }
      const token = sessionToken(request.headers)
      if (token === undefined) return yield* new NotSignedIn()
      const member = yield* sessions.admit(token, stores, 1)
      if (member.admitted < 1) return yield* new RateLimitExceeded({ retryAfter: member.retryAfter })
      if (stores.some((store) => member.roles[store] === undefined)) return yield* new StoreNotFound()
      return Actor.Merchant({ id: member.merchantId })
    })

    return Layer.mergeAll(
      postRoute("/rpc/imports", "Send files with POST", (request, { requestId }) =>
        withFileErrors(
          Effect.gen(function* () {
            const { dryRun = false, settings, storeId } = yield* readQuery(request, decodeImport)
            const actor = yield* admit(request, [storeId])
            const mode = dryRun ? "dryRun" : "perform"
            const context = { storeId, actor, surface: "import", cause: null, requestId, mode } as const
            const set = yield* files.start(context, { ...settings, isSilent: false }, readLargeBody(request))
            return { status: 201, body: `{"data":${set}}`, headers: { "cache-control": "no-store" } }
          })
        )
      ),
      postRoute("/rpc/imports/columns", "Send files with POST", (request) =>
        withFileErrors(
          Effect.gen(function* () {
            const { encoding } = yield* readQuery(request, decodeReading)
            yield* admit(request, [])
            const data = yield* files.columns(readLargeBody(request), encoding)
            return { status: 200, body: JSON.stringify({ data }), headers: { "cache-control": "no-store" } }
          })
        )
      )
    )
  })
)
