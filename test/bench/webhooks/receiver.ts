import { Schema } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { now } from "./clock.ts"
import { serveMessages } from "./childProcess.ts"

/*
 * Receiver of all subscribers in one process. The first segment of the path is the app. It records each request when
 * its head arrives, and returns 200 after the body. Requests to failing endpoints are not recorded.
 */

/** Delay of the slow endpoint before its 500. */
const SLOW_MILLIS = 5000

/** Commands: reset, return the number of requests, return the requests. */
export const Command = Schema.Literals(["begin", "count", "report"])

export const Listening = Schema.Struct({ port: Schema.Int })
export const Count = Schema.Struct({ count: Schema.Int })

/** Received requests in order: `app/event`, and the time on the shared clock. */
export const Arrivals = Schema.Struct({ keys: Schema.Array(Schema.String), times: Schema.Array(Schema.Number) })
export type Arrivals = typeof Arrivals.Type

let keys: Array<string> = []
let times: Array<number> = []

const fail = (path: string, response: ServerResponse) => {
  if (path.endsWith("/hang")) return
  response.statusCode = 500
  setTimeout(() => response.end("Try later"), SLOW_MILLIS)
}

const receive = (request: IncomingMessage, response: ServerResponse) => {
  const { headers, url = "" } = request
  if (!url.endsWith("/fast")) return fail(url, response)
  times.push(now())
  keys.push(`${url.split("/")[1] ?? ""}/${String(headers["webhook-id"])}`)
  request.on("end", () => response.end("ok")).resume()
}

const decode = Schema.decodeUnknownSync(Command)

export const serveReceiver = (): void => {
  const server = createServer({ keepAliveTimeout: 60_000 }, receive).listen(0, "127.0.0.1")
  const listening = once(server, "listening")
  serveMessages(async (message) => {
    await listening
    switch (decode(message)) {
      case "begin": {
        keys = []
        times = []
        const address = server.address()
        if (address === null || typeof address === "string") throw new Error("No port")
        return { port: address.port } satisfies typeof Listening.Type
      }
      case "count":
        return { count: keys.length } satisfies typeof Count.Type
      case "report":
        return { keys, times } satisfies Arrivals
    }
  })
}
