import { Context, Effect, Layer, Option, Result, Semaphore } from "effect"
import { isObject } from "../../domain/json/Json.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { documentUrlRefusal, freshSeconds, readDocument } from "../../domain/oauth/ClientMetadata.ts"
import { type ClientId, UnknownClient } from "../../domain/oauth/Clients.ts"
import { namedHosts } from "../webhooks/AllowedHosts.ts"
import { type Attempt, makeOutgoing, type OutgoingOptions } from "../webhooks/Outgoing.ts"

/** Milliseconds until a document must have arrived: a merchant waits for the page. */
const TIMEOUT = 5_000

/** Maximum number of documents that a process reads at once. Anybody may name a URL, and each read takes a socket. */
const MAX_CONCURRENT = 32

const HEADERS = { accept: "application/json", "user-agent": "PartnerAPI-Clients/1" }

/** Media type application/json, or one with the suffix +json. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Returns the object in a response, or the reason why it has none. */
const parseResponse = ({ answer, error, headers, status }: Attempt) => {
  if (status === null) return Result.fail(error ?? "There was no response")
  if (status !== 200) {
    return Result.fail(`The response has status ${status} instead of 200; redirects are not followed`)
  }
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) return Result.fail("Its Content-Type is not application/json")
  const text = Result.try({ try: () => utf8.decode(answer), catch: () => "It is not valid UTF-8" })
  const parsed = Result.flatMap(text, (text) => Result.mapError(parseUntrusted(text), () => "It is not valid JSON"))
  return Result.filterOrFail(parsed, isObject, () => "It is not a JSON object")
}

/**
 * Reads client metadata documents with the restrictions of webhooks: only from public addresses and hosts that the operator
 * allowed, at most 16 KiB within five seconds, without redirects.
 */
export class ClientDocuments extends Context.Service<ClientDocuments>()("layers/oauth/ClientDocuments", {
  make: Effect.fnUntraced(function* (options: Partial<OutgoingOptions>) {
    const { allowed = yield* namedHosts } = options
    const { get } = yield* makeOutgoing({ timeoutMillis: TIMEOUT, ...options, allowed })
    const permits = yield* Semaphore.make(MAX_CONCURRENT)

    return {
      /** Returns the metadata of a client, and for how many seconds it is fresh. */
      read: Effect.fn("ClientDocuments.read")(function* (id: ClientId) {
        const unknownClient = (reason: string) =>
          new UnknownClient({ reason: `The client ${id} is unknown: ${reason}` })
        const refusal = documentUrlRefusal(id, allowed)
        if (refusal !== undefined) return yield* unknownClient(`its address ${refusal}`)
        const attempt = yield* permits.withPermitsIfAvailable(1)(get({ url: id, headers: HEADERS }))
        if (Option.isNone(attempt)) {
          return yield* unknownClient("too many documents are being read; try again in a moment")
        }
        const metadata = yield* parseResponse(attempt.value).pipe(
          Result.mapError((reason) => `its document cannot be read. ${reason}`),
          Result.flatMap((document) => Result.mapError(readDocument(id, document), ({ message }) => message)),
          Result.mapError(unknownClient),
          Effect.fromResult
        )
        return { metadata, freshSeconds: freshSeconds(attempt.value.headers["cache-control"]) }
      })
    }
  })
}) {
  static readonly layer = (options: Partial<OutgoingOptions>) => Layer.effect(this, this.make(options))
}
