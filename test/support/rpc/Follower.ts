import { WebSocket } from "ws"
import { makeClient } from "../../../src/rpc/Client.ts"

/** A client of the surface at `base`, whose sockets carry the cookie, as a browser's do; `onOpen` is shown each of them. */
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
