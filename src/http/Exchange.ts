import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, ServerResponse } from "node:http"
import type { InstallationId } from "../domain/access/Installations.ts"

/** The header that names a request, in both directions. */
export const REQUEST_ID = "x-request-id"

/** What may stand in a line of the log as it is, whatever its format; common tracers' ids are of this form. */
const WELL_FORMED = /^[\w.:/+=-]{1,128}$/

const idOf = ({ headers }: IncomingMessage) => {
  const given = headers[REQUEST_ID]
  return typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID()
}

/** The answer to a request, and what the access log tells of the two. */
export class Exchange<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The client's own where it sent one that is well formed, so that both sides' logs name the request alike. */
  readonly requestId = idOf(this.req)
  readonly startedAt = performance.now()
  /** The pattern that the path met, as in `/products/:id`: what a client sent itself may hold secrets, or anything. */
  route = "-"
  installationId: InstallationId | undefined = undefined
  /** The client's address, which the socket no longer knows once it is closed. */
  address = "unknown"
}

/** The exchange that a request of the platform's router belongs to. */
export const exchangeOf = (request: HttpServerRequest.HttpServerRequest): Exchange => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof Exchange) return response
  throw new Error("The router serves what the listener took from the socket")
}

export const currentExchange = Effect.map(HttpServerRequest.HttpServerRequest, exchangeOf)
