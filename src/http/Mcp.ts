import { Effect, Record, type Redacted, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { ForeignOrigin } from "../domain/access/Sessions.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { RateLimitExceeded } from "../domain/RateLimit.ts"
import type { StoreNotFound } from "../domain/Store.ts"
import { bearerToken } from "./Bearer.ts"
import { jsonBody, receiveBody } from "./Body.ts"
import type { Reply } from "./Reply.ts"
import { postRoute } from "./Endpoints.ts"
import type { Exchange } from "./Exchange.ts"
import { replyOf, retryAfter } from "./ErrorTable.ts"
import { refusal } from "./Reply.ts"
import { issuer } from "./oauth/Issuer.ts"
import { MCP_PATH, metadataUrl } from "./oauth/ProtectedResource.ts"
import { makeOrigin } from "./Origin.ts"

/** A message that was received over HTTP. */
interface Sent<Agent> {
  readonly agent: Agent
  readonly message: JsonObject
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
}

interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
}

/** Identifies the senders of messages and answers them. */
interface Messages<Agent> {
  readonly identify: (
    token: Redacted.Redacted
  ) => Effect.Effect<Agent, InvalidToken | StoreNotFound | RateLimitExceeded>
  readonly answer: (sent: Sent<Agent>) => Effect.Effect<Answer>
}

/** Headers of the protocol. The token identifies the sender and is not passed on. */
const OF_PROTOCOL = /^(?:accept|content-type|mcp-.*)$/

const protocolHeaders = ({ headers }: IncomingMessage) =>
  Record.filter(headers, (value, name): value is string => typeof value === "string" && OF_PROTOCOL.test(name))

/**
 * The response without a valid token. It names the metadata from which a client learns how to get one (RFC 9728, section
 * 5.1; RFC 6750, section 3.1).
 */
const challenge = (metadata: string, hasToken: boolean): Reply => ({
  ...replyOf(new InvalidToken()),
  headers: {
    "www-authenticate": `Bearer ${hasToken ? 'error="invalid_token", ' : ""}resource_metadata="${metadata}"`
  }
})

/**
 * Adds the route of the Model Context Protocol. Each message is a request with the token of an agent. The agent is
 * identified and counted, and the body is read, before the library of the protocol sees the message.
 */
export const makeMcp = <Agent>({ answer, identify }: Messages<Agent>) =>
  Effect.gen(function* () {
    const metadata = metadataUrl(yield* issuer)
    const { isOwnOrigin } = yield* makeOrigin

    const handle = Effect.fnUntraced(function* (message: IncomingMessage, { requestId }: Exchange) {
      if (!isOwnOrigin(message.headers)) return yield* new ForeignOrigin()
      const token = bearerToken(message)
      if (token === undefined) return challenge(metadata, false)
      const identified = yield* Effect.result(identify(token))
      if (Result.isFailure(identified) && identified.failure._tag === "InvalidToken") return challenge(metadata, true)
      if (Result.isFailure(identified) && identified.failure._tag === "RateLimitExceeded") {
        return { ...replyOf(identified.failure), headers: retryAfter(identified.failure.retryAfter) }
      }
      const agent = yield* Effect.fromResult(identified)
      const body = yield* Effect.result(receiveBody(message))
      if (Result.isFailure(body)) return refusal(413, body.failure.message)
      const headers = protocolHeaders(message)
      const { said } = yield* jsonBody({ body, header: (name) => message.headers[name]?.toString() })
      const { body: text, contentType, status } = yield* answer({ agent, message: said, headers, requestId })
      return { status, body: text, ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }) }
    })

    return postRoute(MCP_PATH, "Messages are sent with POST", handle)
  })
