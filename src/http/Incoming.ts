import { IncomingMessage } from "node:http"
import { PATH } from "./Rpc.ts"

const asksForSocket = ({ headers, method, url }: IncomingMessage) =>
  method === "GET" &&
  url?.split("?", 1)[0] === PATH &&
  headers.host !== undefined &&
  headers.upgrade?.toLowerCase() === "websocket"

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
