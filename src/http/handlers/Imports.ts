import { Effect, Layer, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { BadRequest } from "../../domain/BadRequest.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { ColumnMapping } from "../../domain/imports/ColumnMapping.ts"
import { Delimiter } from "../../domain/imports/Layout.ts"
import { Encoding, FileSettings, ImportFiles, type ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { StoreId } from "../../domain/Store.ts"
import type { PublicError } from "../ErrorTable.ts"
import { PublicUrl } from "../headers/Origin.ts"
import { makeErrorReply, postRoute, type Reply } from "../Reply.ts"
import { baseUrl } from "../server/HttpListener.ts"
import { type BodyTooLarge, readLargeBody, readWhole } from "../server/LargeBody.ts"
import { makeMemberAdmission } from "./MemberFiles.ts"

/** Rows of a file of a member. Reading them takes a minute. */
const MAX_ROWS = 1_000_000

const decodeImport = decodeWith(
  Schema.Struct({ storeId: StoreId, dryRun: optional(Schema.Boolean), settings: FileSettings })
)
const decodeReading = decodeWith(
  Schema.Struct({ encoding: optional(Encoding), delimiter: optional(Delimiter), mapping: optional(ColumnMapping) })
)

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
    const admit = yield* makeMemberAdmission
    const origin = (yield* PublicUrl) ?? (yield* baseUrl)

    return Layer.mergeAll(
      postRoute("/rpc/imports", "Send files with POST", (request, { requestId }) =>
        withFileErrors(
          Effect.gen(function* () {
            const { dryRun = false, settings, storeId } = yield* readQuery(request, decodeImport)
            const { actor, whileSignedIn } = yield* admit(request, [storeId])
            const mode = dryRun ? "dryRun" : "perform"
            const context = { storeId, actor, surface: "import", cause: null, requestId, mode } as const
            const set = yield* files.start(
              context,
              { ...settings, isSilent: false, origin, maxRows: MAX_ROWS },
              readWhole(whileSignedIn(readLargeBody(request)))
            )
            return { status: 201, body: `{"data":${set}}` }
          })
        )
      ),
      postRoute("/rpc/imports/columns", "Send files with POST", (request) =>
        withFileErrors(
          Effect.gen(function* () {
            const reading = yield* readQuery(request, decodeReading)
            const { whileSignedIn } = yield* admit(request, [])
            const data = yield* files.columns(whileSignedIn(readLargeBody(request)), reading)
            return { status: 200, body: JSON.stringify({ data }) }
          })
        )
      )
    )
  })
)
