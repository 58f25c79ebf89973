import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { createSecureContext } from "node:tls"
import { agentClients } from "../../../src/layers/oauth/AgentClients.ts"
import type { OutgoingOptions } from "../../../src/layers/webhooks/Outgoing.ts"
import { selfSigned } from "./Certificate.ts"
import { type Answer, receiver } from "../webhooks/RawReceiver.ts"

const TLS = selfSigned("localhost")

const silent: Answer = () => undefined

/** Options that trust `localhost` and its self-signed certificate. */
export const OPENED: Partial<OutgoingOptions> = {
  allowed: new Set(["localhost"]),
  secureContext: createSecureContext({ ca: TLS.cert })
}

/** Agent clients whose documents may be on this machine. */
export const OpenedClients = agentClients(OPENED)

/** Response with a valid document and additional headers. */
export const documentOf =
  (document: unknown, ...headers: ReadonlyArray<string>): Answer =>
  (socket) => {
    const body = JSON.stringify(document)
    const length = `content-length: ${Buffer.byteLength(body)}`
    socket.write(["HTTP/1.1 200 OK", "content-type: application/json", length, ...headers, "", body].join("\r\n"))
  }

/** A valid document of the client at a URL. */
export const described = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: "Helper",
  redirect_uris: ["http://127.0.0.1/callback"],
  ...more
})

/**
 * A TLS host of client documents. Returns the URL of one and the received requests. The path is unique, because the
 * database stores clients of earlier hosts, which may have used the same port.
 */
export const documentHost = (answerOf: (id: string) => Answer) =>
  Effect.gen(function* () {
    let answer = silent
    const seen = yield* receiver((...request) => answer(...request), { tls: TLS })
    const path = `/${randomUUID()}.json`
    const id = `https://localhost:${seen.port}${path}`
    answer = answerOf(id)
    return { ...seen, id, path, answerWith: (next: Answer) => void (answer = next) }
  })
