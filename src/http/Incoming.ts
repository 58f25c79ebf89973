import { IncomingMessage } from "node:http"
import { PATH } from "./Rpc.ts"

/** Node keeps the first of several in `headers`. */
const countHosts = ({ rawHeaders }: IncomingMessage) => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++
  return count
}

/**
 * Reason to refuse a request that a proxy in front may read in another way than we do: another `Host` decides whose it is
 * (RFC 9112, section 3.2), and another transfer coding decides where it ends (section 6.3), which Node's parser checks only
 * after it has passed the request on.
 */
export const ambiguityOf = (message: IncomingMessage): string | undefined => {
  const { headers, httpVersion } = message
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "Transfer-Encoding can only be chunked"
  const hosts = countHosts(message)
  if (hosts > 1) return "A request has one header Host"
  return hosts === 0 && httpVersion === "1.1" ? "The header Host is missing" : undefined
}

const asksForSocket = (message: IncomingMessage) =>
  message.method === "GET" &&
  message.url?.split("?", 1)[0] === PATH &&
  message.headers.host !== undefined &&
  message.headers.upgrade?.toLowerCase() === "websocket" &&
  ambiguityOf(message) === undefined

/**
 * A request that becomes a socket only where it asks for one that there is. All others are answered as if they had not
 * asked, as HTTP allows (RFC 9110, section 7.8): Node would take each of them from the server, whatever it asks for, which
 * clients do with every first request that would rather have HTTP/2.
 */
export class Incoming extends IncomingMessage {
  declare private isAsking: unknown

  /** Set by Node, and asked for by it to know whom to tell. */
  get upgrade(): boolean {
    return this.isAsking === true && (this.method === "CONNECT" || asksForSocket(this))
  }

  set upgrade(isAsking: unknown) {
    this.isAsking = isAsking
  }
}
