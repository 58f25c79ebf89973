import { IncomingMessage } from "node:http"
import { RPC_PATH } from "../Rpc.ts"

/** `headers` holds only the first of several. */
const countHosts = ({ rawHeaders }: IncomingMessage) => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++
  return count
}

/**
 * The reason to refuse a request that a proxy can read in another way: a second `Host` changes its target (RFC 9112,
 * section 3.2), and an unknown transfer coding its end (section 6.3), which Node's parser checks only after it has passed
 * the request on.
 */
export const findAmbiguity = (message: IncomingMessage): string | undefined => {
  const { headers, httpVersion } = message
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding can only be chunked"
  const hosts = countHosts(message)
  if (hosts > 1) return "A request has one header Host"
  return hosts === 0 && httpVersion === "1.1" ? "The header Host is missing" : undefined
}

const isWebSocketUpgrade = (message: IncomingMessage) =>
  message.method === "GET" &&
  message.url?.split("?", 1)[0] === RPC_PATH &&
  message.headers.host !== undefined &&
  message.headers.upgrade?.toLowerCase() === "websocket" &&
  findAmbiguity(message) === undefined

/**
 * A request that is upgraded only to a WebSocket that exists. Every other `Upgrade` is ignored, as HTTP allows (RFC 9110,
 * section 7.8). Node emits all of them as `upgrade` instead of `request`, and clients that prefer HTTP/2 ask to upgrade
 * with their first request.
 */
export class NodeRequest extends IncomingMessage {
  declare private isAsking: unknown

  /** Node sets and reads it to decide between the events `upgrade` and `request`. */
  get upgrade(): boolean {
    return this.isAsking === true && (this.method === "CONNECT" || isWebSocketUpgrade(this))
  }

  set upgrade(isAsking: unknown) {
    this.isAsking = isAsking
  }
}
