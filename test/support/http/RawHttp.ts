import { Effect } from "effect"
import { connect } from "node:net"

/** The header and the end of lines of a request, as they go over the wire. */
export const lines = (...given: ReadonlyArray<string>) => `${given.join("\r\n")}\r\n\r\n`

/** What comes back on a connection of its own on which `texts` are sent, until the service ends it. */
export const exchange = (base: string, ...texts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(base)
    let received = ""
    const socket = connect(Number(port), hostname, () => texts.forEach((text) => socket.write(text)))
    socket.setEncoding("utf8").on("data", (chunk: string) => void (received += chunk))
    // A connection that was reset had said something before, or the test sees that it had not.
    socket.on("error", () => undefined)
    socket.once("close", () => resume(Effect.succeed(received)))
  })
