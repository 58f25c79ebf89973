import { Effect, Result, Semaphore } from "effect"
import { isObject } from "../../domain/Json.ts"
import { parseUntrusted } from "../../domain/UntrustedJson.ts"
import {
  type StoredMetadata,
  documentUrlRefusal,
  freshSeconds,
  readDocument
} from "../../domain/oauth/ClientMetadata.ts"
import { type ClientId, UnknownClient } from "../../domain/oauth/Clients.ts"
import type { Attempt } from "../webhooks/Outgoing.ts"
import { makeOutgoing, type OutgoingOptions } from "../webhooks/Outgoing.ts"

/** Milliseconds in which a document must be there: somebody waits for a page. */
const TIMEOUT = 5_000

/** Documents that one process reads at once: anybody may name an address, and each takes a socket. */
const MAX_AT_ONCE = 32

const HEADERS = { accept: "application/json", "user-agent": "PartnerAPI-Clients/1" }

/** JSON, or a kind of it that has a name of its own. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The object that an answer holds, or why it holds none. */
const objectOf = ({ answer, error, headers, status }: Attempt) => {
  if (status === null) return Result.fail(error ?? "There was no answer")
  if (status !== 200)
    return Result.fail(`The answer has status ${status}, which must be 200; redirects are not followed`)
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) return Result.fail("Its Content-Type is not application/json")
  const text = Result.try({ try: () => utf8.decode(answer), catch: () => "It is not valid UTF-8" })
  const parsed = Result.flatMap(text, (text) => Result.mapError(parseUntrusted(text), () => "It is not valid JSON"))
  return Result.filterOrFail(parsed, isObject, () => "It is no JSON object")
}

/** What a document says of a client, and for how many seconds it is believed. */
export interface Read {
  readonly described: StoredMetadata
  readonly freshSeconds: number
}

/**
 * Reads the documents that clients are described by, under the guards of webhooks: from public addresses and hosts that
 * the operator named, in 16 KiB and five seconds, by no redirect.
 */
export const makeDocuments = (options: OutgoingOptions) =>
  Effect.gen(function* () {
    const { get } = yield* makeOutgoing({ timeoutMillis: TIMEOUT, ...options })
    const turns = yield* Semaphore.make(MAX_AT_ONCE)

    return Effect.fn("Documents.read")(function* (id: ClientId) {
      const refuse = (reason: string) => new UnknownClient({ reason: `The client ${id} is not known: ${reason}` })
      const refusal = documentUrlRefusal(id, options.allowed)
      if (refusal !== undefined) return yield* refuse(`its address ${refusal}`)
      const attempt = yield* turns.withPermitsIfAvailable(1)(get({ url: id, headers: HEADERS }))
      if (attempt._tag === "None") return yield* refuse("too many documents are read at once; try again in a moment")
      const described = yield* objectOf(attempt.value).pipe(
        Result.mapError((reason) => `its document cannot be read. ${reason}`),
        Result.flatMap((given) => Result.mapError(readDocument(id, given), ({ message }) => message)),
        Result.mapError(refuse),
        Effect.fromResult
      )
      return { described, freshSeconds: freshSeconds(attempt.value.headers["cache-control"]) }
    })
  })
