import { Effect, Function, Layer } from "effect"
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { createServer } from "node:https"
import { createSecureContext } from "node:tls"
import { Internet } from "../../../src/layers/webhooks/Outgoing.ts"
import { selfSigned } from "../oauth/Certificate.ts"
import { portOf, type Respond, receiver } from "./Receiver.ts"

const HOST = "hooks.example.com"

const TLS = selfSigned(HOST)

/** An internet in which every name resolves to this machine, and which trusts the test host. */
export const internetHere = (onLookup: (host: string) => void) =>
  Layer.succeed(Internet, {
    lookup: (host, { all }, callback) => {
      onLookup(host)
      return all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)
    },
    secureContext: createSecureContext({ ca: TLS.cert })
  })

export const InternetHere = internetHere(Function.constVoid)

/** An https endpoint in that internet. */
export const publicReceiver = (react?: Respond) => receiver(react, { host: HOST, ...TLS })

/** An https server in that internet. Returns its URL and the paths of its requests. */
export const publicServer = (onRequest: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const paths: Array<string> = []
        const server = createServer(TLS, (request, response) => {
          paths.push(request.url ?? "")
          onRequest(request, response)
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return { server, paths }
      }),
      ({ server }) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          server.close()
          await once(server, "close")
        })
    ),
    ({ paths, server }) => ({ url: `https://${HOST}:${portOf(server)}`, paths })
  )
