/*
 * Works around Node's response, which holds no data of its request for the access log.
 */

import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, ServerResponse } from "node:http"
import type { InstallationId } from "../../domain/access/Ids.ts"

/** The header with the id of a request, in both directions. */
export const REQUEST_ID_HEADER = "x-request-id"

/** Request ids that are safe in every log format. The ids of common tracers match. */
const REQUEST_ID_PATTERN = /^[\w.:/+=-]{1,128}$/

const chooseRequestId = ({ headers }: IncomingMessage) => {
  const id = headers[REQUEST_ID_HEADER]
  return typeof id === "string" && REQUEST_ID_PATTERN.test(id) ? id : randomUUID()
}

/** A response with the data of its request for the access log. */
export class NodeResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The id that the client sent, if it is well formed, so that the logs of both sides have the same id. */
  readonly requestId = chooseRequestId(this.req)
  readonly startedAt = performance.now()
  /** The pattern of the route, as in `/products/:id`. The path itself can hold secrets. */
  route = "-"
  /** Id of the trace, if the request is traced. */
  traceId: string | undefined = undefined
  installationId: InstallationId | undefined = undefined
  /** The client's address. A closed socket no longer has it. */
  address = "unknown"
  /** True if the store of the request has moved to another cell, so that the request must be repeated there. */
  hasMoved = false
  /** Handles the request. Undefined once it has started. */
  handle: (() => void) | undefined = undefined
}

/** Gets the Node response of a request of the router. */
export const toNodeResponse = (request: HttpServerRequest.HttpServerRequest): NodeResponse => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof NodeResponse) return response
  throw new Error("The router serves only requests of HttpListener")
}

/** The Node response of the current request. */
export const currentResponse = Effect.map(HttpServerRequest.HttpServerRequest, toNodeResponse)
