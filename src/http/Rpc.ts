import { Effect, type Redacted, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { ForeignOrigin } from "../domain/access/Sessions.ts"
import type { BadRequest } from "../domain/BadRequest.ts"
import { decodeUtf8, makeMediaTypeTest, readBody } from "./server/BodyReader.ts"
import { makeSessionCookie, parseBearerToken } from "./Credentials.ts"
import { makeErrorReply, postRoute } from "./Reply.ts"
import type { NodeResponse } from "./server/NodeResponse.ts"
import { makeOriginPolicy } from "./Origin.ts"

/** Calls as they came over HTTP: who says to send them, and what they say. */
interface RpcRequest {
  /** The token of a session, if there was one: of what the calls say of themselves nothing is believed. */
  readonly token: Redacted.Redacted | undefined
  /** The token of an agent, if there was one. */
  readonly bearer: Redacted.Redacted | undefined
  readonly body: string
  readonly requestId: string
}

/** Answers each of the calls of a body with a line, or none of them where the body cannot be read. */
type HandleCalls = (sent: RpcRequest) => Effect.Effect<string, BadRequest>

/** Where calls are sent to, and sockets opened. */
export const RPC_PATH = "/rpc"

const NDJSON = "application/ndjson"

/** A page of another site may not send this type without being asked first, which it is not. */
const isNdjson = makeMediaTypeTest(NDJSON)

/**
 * Serves calls of the second surface, on the sockets of the first. The answer is 200 whatever comes of each call, and says
 * it call by call; another status is for what is no body of calls at all.
 */
export const makeRpcRoute = Effect.fnUntraced(function* (answerCalls: HandleCalls) {
  const { isSameOrigin } = yield* makeOriginPolicy
  const { sessionToken } = yield* makeSessionCookie
  const answer = Effect.fnUntraced(function* (message: IncomingMessage, { requestId }: NodeResponse) {
    if (!isSameOrigin(message.headers)) return yield* new ForeignOrigin()
    if (!isNdjson(message.headers["content-type"]) || message.headers["content-encoding"] !== undefined)
      return makeErrorReply(415, `Calls are sent as ${NDJSON} in UTF-8, one a line, not compressed`)
    const received = yield* Effect.result(readBody(message))
    if (Result.isFailure(received)) return makeErrorReply(413, received.failure.message)
    const body = yield* decodeUtf8(received.success)
    const lines = yield* answerCalls({
      token: sessionToken(message.headers),
      bearer: parseBearerToken(message),
      body,
      requestId
    })
    return { status: 200, body: lines, headers: { "content-type": NDJSON } }
  })

  return postRoute(RPC_PATH, "Calls are sent with POST", answer)
})
