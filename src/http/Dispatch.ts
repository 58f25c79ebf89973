import { Effect, Record, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { Bulkhead } from "../domain/Bulkhead.ts"
import { refusalOf } from "../domain/access/AccessRule.ts"
import { type RecentRequest, Requests } from "../domain/access/Requests.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { RateLimit } from "../domain/RateLimit.ts"
import { accessOf } from "./AccessLog.ts"
import { makeAnswering } from "./Answering.ts"
import { bearerToken } from "./Bearer.ts"
import { receiveBody } from "./Body.ts"
import type { Call } from "./Call.ts"
import type { Exchange } from "./Exchange.ts"
import type { Handler } from "./Handler.ts"
import { queryOf } from "./Query.ts"

/** Answers a request if it is one of the API; says whether it was. */
export type Dispatch = (message: IncomingMessage, exchange: Exchange) => boolean

const NO_BODY = Result.succeed(Buffer.alloc(0))

/** Path and query. A client may also send the whole URL, and a server has to take it (RFC 9112, section 3.2.2). */
export const targetOf = ({ url = "/" }: IncomingMessage) =>
  url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "")

/** A part of the path as it is meant; what is encoded wrongly stays as it is, and is no name of anything. */
const decoded = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const headerOf = ({ headers }: IncomingMessage, name: string) => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/** What is kept of a request for the members of its store. */
const requestOf = (exchange: Exchange): RecentRequest => {
  const { method, milliseconds, requestId, route, status } = accessOf(exchange)
  return { at: new Date().toISOString(), method, route, status, milliseconds, requestId }
}

/**
 * Serves endpoints from their definitions: method, path and access rule are read from them.
 *
 * The platform's own `HttpApiBuilder` serves definitions too, for 135 µs of CPU a request beyond the 20 of Node itself;
 * with this a page of five products took 311 to 337 µs in all where it had taken 548 (docs/decisions/0007). The order of
 * the checks is that of decisions, section 4, and stands here to be read: token, installation, store and window; rule;
 * then, in its turn among the requests of its store, the handler's key, path and body. A body is received before that, so
 * that a client that sends slowly holds nobody up, and read in its turn, so that those that wait are no more than bytes.
 */
export const makeDispatch = (handlers: ReadonlyArray<Handler>) =>
  Effect.gen(function* () {
    const { admit } = yield* RateLimit
    const { inTurn } = yield* Bulkhead
    const { note } = yield* Requests
    const answering = yield* makeAnswering

    const answer = Effect.fnUntraced(function* (
      { handle, hasBody, method, parameters, rule, weight }: Handler,
      message: IncomingMessage,
      exchange: Exchange,
      url: string,
      search: string,
      params: Call["params"]
    ) {
      const token = bearerToken(message)
      if (token === undefined) return yield* new InvalidToken()
      const installation = yield* admit(token)
      exchange.installationId = installation.id
      exchange.once("close", () => note(installation, requestOf(exchange)))
      const refusal = refusalOf(installation, rule)
      if (refusal !== undefined) return yield* refusal
      const body = hasBody ? yield* Effect.result(receiveBody(message)) : NO_BODY
      const query = queryOf(search, parameters)
      const { requestId } = exchange
      const header = (name: string) => headerOf(message, name)
      return yield* inTurn(
        installation.storeId,
        weight,
        Effect.suspend(() => handle({ installation, requestId, method, url, header, body, params, query }))
      )
    })

    const dispatch: Dispatch = (message, exchange) => {
      const { method } = message
      const url = targetOf(message)
      const [path = ""] = url.split("?", 1)
      const search = url.slice(path.length + 1)
      for (const handler of handlers) {
        if (handler.method !== method) continue
        const match = handler.pattern.exec(path)
        if (match === null) continue
        exchange.route = handler.path
        answering(exchange, answer(handler, message, exchange, url, search, Record.map(match.groups ?? {}, decoded)))
        return true
      }
      return false
    }
    return dispatch
  })
