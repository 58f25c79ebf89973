import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, ServerResponse } from "node:http"
import type { InstallationId } from "../domain/access/Installations.ts"

/** The header that names a request, in both directions. */
export const REQUEST_ID = "x-request-id"

/** Request ids that are safe in every log format. The ids of common tracers have this form. */
const WELL_FORMED = /^[\w.:/+=-]{1,128}$/

const idOf = ({ headers }: IncomingMessage) => {
  const given = headers[REQUEST_ID]
  return typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID()
}

/** A response, with the facts of its request for the access log. */
export class Exchange<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The id that the client sent, if it is well formed, so that the logs of both sides have the same id. */
  readonly requestId = idOf(this.req)
  readonly startedAt = performance.now()
  /** The pattern of the route, as in `/products/:id`. The path itself can hold secrets. */
  route = "-"
  installationId: InstallationId | undefined = undefined
  /** The client's address. A closed socket no longer has it. */
  address = "unknown"
}

/** The exchange of a request of the router. */
export const exchangeOf = (request: HttpServerRequest.HttpServerRequest): Exchange => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof Exchange) return response
  throw new Error("The router serves what the listener took from the socket")
}

export const currentExchange = Effect.map(HttpServerRequest.HttpServerRequest, exchangeOf)
