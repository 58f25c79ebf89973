import { Effect, type Redacted, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { ForeignOrigin } from "../../domain/access/Sessions.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeUtf8, makeMediaTypeTest, readBody } from "../server/BodyReader.ts"
import { makeSessionCookie, parseBearerToken } from "../headers/Credentials.ts"
import { makeErrorReply, postRoute } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"

/** A request with calls. Its token and body are not verified yet. */
interface RpcRequest {
  /** The session token of a browser, if any. */
  readonly token: Redacted.Redacted | undefined
  /** The access token of an agent, if any. */
  readonly bearer: Redacted.Redacted | undefined
  readonly body: string
  readonly requestId: string
}

/** Handles the calls of a body, one response line per call. Fails if the body is malformed. */
type HandleCalls = (sent: RpcRequest) => Effect.Effect<string, BadRequest>

/** The path of calls and of the WebSocket. */
export const RPC_PATH = "/rpc"

const NDJSON = "application/ndjson"

/** Pages of other sites cannot send this type without a CORS preflight, which is not allowed. */
const isNdjson = makeMediaTypeTest(NDJSON)

/**
 * Adds the route of RPC calls. The status is 200 even if calls fail, because each line has its own result. Other statuses
 * are for a request that cannot be read.
 */
export const makeRpcRoute = Effect.fnUntraced(function* (handleCalls: HandleCalls) {
  const { isSameOrigin } = yield* makeOriginPolicy
  const { sessionToken } = yield* makeSessionCookie
  const handle = Effect.fnUntraced(function* (request: IncomingMessage, { requestId }: NodeResponse) {
    if (!isSameOrigin(request.headers)) return yield* new ForeignOrigin()
    if (!isNdjson(request.headers["content-type"]) || request.headers["content-encoding"] !== undefined)
      return makeErrorReply(415, `Send calls as ${NDJSON} in UTF-8, one per line, without compression`)
    const received = yield* Effect.result(readBody(request))
    if (Result.isFailure(received)) return makeErrorReply(413, received.failure.message)
    const body = yield* decodeUtf8(received.success)
    const lines = yield* handleCalls({
      token: sessionToken(request.headers),
      bearer: parseBearerToken(request),
      body,
      requestId
    })
    return { status: 200, body: lines, headers: { "content-type": NDJSON } }
  })

  return postRoute(RPC_PATH, "Send calls with POST", handle)
})
