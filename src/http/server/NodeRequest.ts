/*
 * Works around Node's parser, which accepts a second `Host` and emits `upgrade` for every upgrade.
 */

import { IncomingMessage } from "node:http"
import { RPC_PATH } from "../routes/Rpc.ts"

/** Counts the `Host` headers. `headers` holds only the first. */
const countHosts = ({ rawHeaders }: IncomingMessage) => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === "host") count++
  return count
}

/**
 * Finds the reason to refuse a request that a proxy can interpret differently. A second `Host` changes its target (RFC
 * 9112, section 3.2). An unknown transfer coding changes its end (section 6.3), which Node's parser checks too late.
 */
export const findAmbiguity = (request: IncomingMessage): string | undefined => {
  const { headers, httpVersion } = request
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding must be chunked"
  const hosts = countHosts(request)
  if (hosts > 1) return "A request must have only one Host header"
  return hosts === 0 && httpVersion === "1.1" ? "The Host header is missing" : undefined
}

const isWebSocketUpgrade = (request: IncomingMessage) =>
  request.method === "GET" &&
  request.url?.split("?", 1)[0] === RPC_PATH &&
  request.headers.host !== undefined &&
  request.headers.upgrade?.toLowerCase() === "websocket" &&
  findAmbiguity(request) === undefined

/**
 * A request that is upgraded only to the WebSocket of {@link RPC_PATH}. Every other `Upgrade` is ignored (RFC 9110,
 * section 7.8). Node would emit `upgrade` instead of `request` for all of them, and clients that prefer HTTP/2 send
 * `Upgrade` with their first request.
 */
export class NodeRequest extends IncomingMessage {
  declare private hasUpgrade: unknown

  /** Node sets it, then reads it to choose between the events `upgrade` and `request`. */
  get upgrade(): boolean {
    return this.hasUpgrade === true && (this.method === "CONNECT" || isWebSocketUpgrade(this))
  }

  set upgrade(hasUpgrade: unknown) {
    this.hasUpgrade = hasUpgrade
  }
}
