import { WebSocket } from "ws"
import { makeClient } from "../../../src/rpc/Client.ts"

/**
 * A client of the service at `base` whose sockets send the cookie, like a browser. `onOpen` is called with each socket.
 */
export const followerAt = (base: string, cookie: string, onOpen: (socket: WebSocket) => void = () => {}) =>
  makeClient({
    url: `${base}/rpc`,
    headers: { cookie },
    webSocket: (url) => {
      const socket = new WebSocket(url, { headers: { cookie } })
      onOpen(socket)
      return socket
    }
  })
