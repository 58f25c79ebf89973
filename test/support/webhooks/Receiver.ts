import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Server } from "node:net"

/** A received request. */
export interface Received {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `performance.now()` at the last byte. */
  readonly at: number
}

export interface Reaction {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Chooses the response. "hang" sends none. A promise delays it. */
export type Respond = (request: Received) => Reaction | "hang" | Promise<Reaction | "hang">

/** Reads the body of a request as text. */
export const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

/** Returns the port of a server. */
export const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]))

/** Host name and certificate of a TLS receiver. */
export interface Named {
  readonly host: string
  readonly cert: string
  readonly key: string
}

/**
 * A webhook endpoint that records requests and responds with 204, or as `react` chooses. Requests to another path are
 * ignored: they are meant for an earlier receiver on the same port, whose webhook still fails.
 */
export const receiver = (react: Respond = () => ({}), tls?: Named): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const received: Array<Received> = []
        const state = { react, now: 0, most: 0 }
        const path = `/hooks/${randomUUID()}`
        const answer = async (request: IncomingMessage, response: ServerResponse) => {
          const { method = "", url = "" } = request
          if (url !== path && !url.startsWith(`${path}/`)) {
            response.writeHead(404).end()
            return
          }
          state.now += 1
          state.most = Math.max(state.most, state.now)
          response.once("close", () => void (state.now -= 1))
          const body = await bodyOf(request)
          const one = { path: url, method, headers: headersOf(request), body, at: performance.now() }
          received.push(one)
          const reaction = await state.react(one)
          if (reaction === "hang") return
          response.writeHead(reaction.status ?? 204, reaction.headers).end(reaction.body)
        }
        // Senders may abort requests.
        const onRequest = (request: IncomingMessage, response: ServerResponse) =>
          void answer(request, response).catch(() => undefined)
        const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest)
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return { path, server, received, state }
      }),
      ({ server }) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          server.close()
          await once(server, "close")
        })
    ),
    ({ path, received, server, state }) => {
      const port = portOf(server)
      return {
        port,
        url: tls === undefined ? `http://127.0.0.1:${port}${path}` : `https://${tls.host}:${port}${path}`,
        received,
        /** Maximum number of concurrent requests. */
        most: () => state.most,
        answerWith: (next: Respond) => {
          state.react = next
        }
      }
    }
  )

export interface Receiver {
  readonly port: number
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly most: () => number
  readonly answerWith: (react: Respond) => void
}
