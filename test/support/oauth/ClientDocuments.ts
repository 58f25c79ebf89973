import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { createSecureContext } from "node:tls"
import { agentClients } from "../../../src/layers/oauth/AgentClients.ts"
import type { OutgoingOptions } from "../../../src/layers/webhooks/Outgoing.ts"
import { selfSigned } from "./Certificate.ts"
import { type Answer, receiver } from "../webhooks/RawReceiver.ts"

const TLS = selfSigned("localhost")

const silent: Answer = () => undefined

/** The guards opened to the test's own hosts: this machine by its name, and the certificate that it made for itself. */
export const OPENED: Partial<OutgoingOptions> = {
  allowed: new Set(["localhost"]),
  secureContext: createSecureContext({ ca: TLS.cert })
}

/** Clients whose documents are on this machine. */
export const OpenedClients = agentClients(OPENED)

/** An answer that holds a document, as it should be but for these headers. */
export const documentOf =
  (document: unknown, ...headers: ReadonlyArray<string>): Answer =>
  (socket) => {
    const body = JSON.stringify(document)
    const length = `content-length: ${Buffer.byteLength(body)}`
    socket.write(["HTTP/1.1 200 OK", "content-type: application/json", length, ...headers, "", body].join("\r\n"))
  }

/** What a good document says of a client at an address. */
export const described = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: "Helper",
  redirect_uris: ["http://127.0.0.1/callback"],
  ...more
})

/**
 * A host of documents over TLS: the address of one, and the requests that came. The path is unique: the database
 * remembers clients of earlier hosts, which may have had the same port.
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
