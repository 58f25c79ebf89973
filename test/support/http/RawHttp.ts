import { Effect } from "effect"
import { request } from "node:http"
import { connect } from "node:net"

/** Header lines of a request with CRLF line ends. */
export const lines = (...input: ReadonlyArray<string>) => `${input.join("\r\n")}\r\n\r\n`

/** Sends `texts` on a new connection and returns all data until the service closes it. */
export const exchange = (base: string, ...texts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(base)
    let received = ""
    const socket = connect(Number(port), hostname, () => texts.forEach((text) => socket.write(text)))
    socket.setEncoding("utf8").on("data", (chunk: string) => void (received += chunk))
    // Data before a reset is still returned.
    socket.on("error", () => undefined)
    socket.once("close", () => resume(Effect.succeed(received)))
  })

/** Sends a file of a member, without waiting for the response. Returns how the client leaves. */
export const sendAndLeave = (url: string, cookie: string, body: string | Uint8Array) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const headers = { cookie, "content-type": "application/octet-stream" }
      const sending = request(url, { method: "POST", headers })
      sending.on("error", () => undefined).end(body)
      return () => void sending.destroy()
    }),
    (leave) => Effect.sync(leave)
  )
