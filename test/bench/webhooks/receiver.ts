import { Schema } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { now } from "./clock.ts"
import { serve } from "./helper.ts"

/*
 * Every subscriber, in one process: an app is the first part of the path. It writes down each request as its head comes
 * and answers 200 when the body is there, except for those that behave badly, of whose requests nothing is kept.
 */

/** How long the slow one takes to say that it failed. */
const SLOW_MILLIS = 5000

/** What the receiver is told: forget all, say how many came, or say what came. */
export const Command = Schema.Literals(["begin", "count", "report"])

export const Begun = Schema.Struct({ port: Schema.Int })
export const Count = Schema.Struct({ count: Schema.Int })

/** What came, in order: `app/event`, and when on the shared clock. */
export const Arrivals = Schema.Struct({ keys: Schema.Array(Schema.String), times: Schema.Array(Schema.Number) })
export type Arrivals = typeof Arrivals.Type

let keys: Array<string> = []
let times: Array<number> = []

const misbehave = (path: string, response: ServerResponse) => {
  if (path.endsWith("/hang")) return
  response.statusCode = 500
  setTimeout(() => response.end("Try later"), SLOW_MILLIS)
}

const take = (request: IncomingMessage, response: ServerResponse) => {
  const { headers, url = "" } = request
  if (!url.endsWith("/fast")) return misbehave(url, response)
  times.push(now())
  keys.push(`${url.split("/")[1] ?? ""}/${String(headers["webhook-id"])}`)
  request.on("end", () => response.end("ok")).resume()
}

const decode = Schema.decodeUnknownSync(Command)

export const serveReceiver = (): void => {
  const server = createServer({ keepAliveTimeout: 60_000 }, take).listen(0, "127.0.0.1")
  const listening = once(server, "listening")
  serve(async (message) => {
    await listening
    switch (decode(message)) {
      case "begin": {
        keys = []
        times = []
        const address = server.address()
        if (address === null || typeof address === "string") throw new Error("No port")
        return { port: address.port } satisfies typeof Begun.Type
      }
      case "count":
        return { count: keys.length } satisfies typeof Count.Type
      case "report":
        return { keys, times } satisfies Arrivals
    }
  })
}
