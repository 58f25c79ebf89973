import { Context, Data, Effect, Layer, Predicate, Result, type Scope, Stream } from "effect"
import { type Headers, HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { lookup as systemLookup, promises } from "node:dns"
import type { LookupFunction } from "node:net"
import { createSecureContext, type SecureContext } from "node:tls"
import { type AllowedHosts, NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { checkUrl } from "../../domain/webhooks/Destination.ts"
import { allowedHosts, developerHosts } from "./AllowedHosts.ts"
import { HEADERS_TOO_LONG, makeGuardedHttpClient, RequestEnded, RequestTimedOut } from "./GuardedHttpClient.ts"
import { guarded, LookupFailed, lookupBy } from "./Lookup.ts"

/** Milliseconds in which a response must be complete, including the lookup of the host (docs/webhooks.md). */
export const RequestTimeout = Context.Reference("layers/webhooks/RequestTimeout", { defaultValue: () => 10_000 })

/** Bytes of a response's body that are stored in the log (docs/webhooks.md). */
export const MAX_BODY_BYTES = 16_384

/** Response headers that callers read. */
const READ_HEADERS = ["retry-after", "content-type", "cache-control"] as const

export type ResponseHeaders = Readonly<Partial<Record<(typeof READ_HEADERS)[number], string>>>

const pickHeaders = (headers: Headers.Headers): ResponseHeaders =>
  Object.fromEntries(READ_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

export interface OutgoingRequest {
  /** Checked by `checkUrl` before each request. */
  readonly url: string
  /** True if the app is of a developer, so that `WEBHOOK_ALLOW_HOSTS` does not apply. */
  readonly isDeveloped?: boolean
  /** `Host`, `Content-Length` and `Connection` are added. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of a POST request. Null sends a GET request, whose response must not exceed {@link MAX_BODY_BYTES}. */
  readonly body: string | null
}

/** The result of a request: a response with a status, or an error. */
export interface Attempt {
  /** The status of a response whose body is complete, else null. */
  readonly status: number | null
  /** The first {@link MAX_BODY_BYTES} of the body as received, not decompressed; of an incomplete one too. */
  readonly answer: Uint8Array
  /** One sentence for people; null exactly if there is a status. */
  readonly error: string | null
  readonly durationMillis: number
  readonly headers: ResponseHeaders
}

/** An attempt that sent nothing. */
export const notSent = (error: string): Attempt => ({
  status: null,
  answer: new Uint8Array(),
  error,
  durationMillis: 0,
  headers: {}
})

const CLOSED = "The receiver closed the connection before its response was complete"
const UNREACHABLE = "The receiver cannot be reached over the network"

/** Node's error codes, explained to the owner of the webhook. */
const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: "The host of the receiver was not found",
  EAI_AGAIN: "The host of the receiver could not be resolved",
  ECONNREFUSED: "The receiver refused the connection",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LONG
}

/** Codes of OpenSSL's verification, and Node's own for a certificate of another host. */
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/

const textOf = (error: Error, property: string) =>
  Predicate.hasProperty(error, property) && typeof error[property] === "string" ? error[property] : undefined

const causeOf = (error: Error): unknown => (HttpClientError.isHttpClientError(error) ? error.reason.cause : error)

/** One sentence on why a request has no response. */
const explain = (error: Error): string => {
  const cause = causeOf(error)
  if (!(cause instanceof Error)) return "The request failed"
  if (cause instanceof RequestEnded || cause instanceof LookupFailed) return cause.message
  const code = textOf(cause, "code") ?? cause.name
  const sentence = SENTENCES[code]
  if (sentence !== undefined) return sentence
  if (code.startsWith("HPE_")) return `The response is not valid HTTP/1.1 (${textOf(cause, "reason") ?? code})`
  if (/^(?:EPROTO|ERR_SSL)/.test(code)) return `The TLS handshake with the receiver failed (${code})`
  if (CERTIFICATE.test(code)) return `The TLS certificate of the receiver is not valid (${code})`
  return `The request failed (${code})`
}

/** A response that cannot be read. The reason is one sentence for people. */
export class NotRead extends Data.TaggedError("NotRead")<{
  readonly problem: "url" | "address" | "timeout" | "connection"
  readonly reason: string
}> {}

const notRead = (error: Error) => {
  const cause = causeOf(error)
  const problem =
    cause instanceof LookupFailed ? "address" : cause instanceof RequestTimedOut ? "timeout" : "connection"
  return new NotRead({ problem, reason: explain(error) })
}

/** A response whose body is not read yet. The end of the scope closes its connection. */
export interface OpenResponse {
  readonly status: number
  /** The URL to which it redirects, as it was sent. */
  readonly location: string | undefined
  readonly body: Stream.Stream<Uint8Array, NotRead>
}

/** Why a response with this status does not end a request, if so. Informational ones do not get here. */
const statusRefusal = (status: number, { upgrade }: Headers.Headers) => {
  if (status >= 200) return undefined
  return status === 101 && upgrade !== undefined
    ? "The receiver switched protocols (101), which the request did not ask for"
    : "The response is not valid HTTP/1.1 (its status is not final)"
}

/** The request as the platform's client takes it. A URL of type `URL` would have its query encoded anew. */
const clientRequestOf = ({ body, headers }: OutgoingRequest, url: string) =>
  body === null
    ? HttpClientRequest.get(url, { headers })
    : HttpClientRequest.post(url, { headers, body: HttpBody.text(body, headers["content-type"]) })

/** Sends a request once and reads its response. The end of the scope within releases or closes the connection. */
const exchange = (
  client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  request: OutgoingRequest,
  url: string
) =>
  Effect.suspend(() => {
    const start = performance.now()
    const chunks: Array<Uint8Array> = []
    let length = 0
    let headers: ResponseHeaders = {}

    const append = (chunk: Uint8Array) => {
      // A copy: the chunk is a view of a buffer many times its size.
      if (length < MAX_BODY_BYTES) chunks.push(new Uint8Array(chunk.subarray(0, MAX_BODY_BYTES - length)))
      length += chunk.length
      return request.body === null && length > MAX_BODY_BYTES
        ? Effect.fail(new RequestEnded(`The response is longer than ${MAX_BODY_BYTES} bytes`))
        : Effect.void
    }
    const attempt = (status: number | null, error: string | null): Attempt => ({
      status,
      answer: new Uint8Array(Buffer.concat(chunks)),
      error,
      durationMillis: Math.round(performance.now() - start),
      headers
    })
    return Effect.gen(function* () {
      const response = yield* client.execute(clientRequestOf(request, url))
      const refusal = statusRefusal(response.status, response.headers)
      if (refusal !== undefined) return yield* Effect.fail(new RequestEnded(refusal))
      headers = pickHeaders(response.headers)
      yield* Stream.runForEach(response.stream, append)
      return response.status
    }).pipe(
      Effect.scoped,
      // Its span would hold the path, which may be a secret, and its headers would tell receivers our trace ids.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      // Node throws for a header that HTTP does not allow.
      Effect.catchDefect((defect) => (defect instanceof Error ? Effect.fail(defect) : Effect.die(defect))),
      Effect.match({
        onFailure: (error) => attempt(null, explain(error)),
        onSuccess: (status) => attempt(status, null)
      })
    )
  })

/** Sends a GET request and returns its response before the body. */
const open = (
  client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  headers: Readonly<Record<string, string>>,
  url: string
) =>
  Effect.gen(function* () {
    const response = yield* client.execute(HttpClientRequest.get(url, { headers }))
    const refusal = statusRefusal(response.status, response.headers)
    if (refusal !== undefined) return yield* Effect.fail(new RequestEnded(refusal))
    const { location } = response.headers
    return { status: response.status, location, body: Stream.mapError(response.stream, notRead) }
  }).pipe(
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchDefect((defect) => (defect instanceof Error ? Effect.fail(defect) : Effect.die(defect))),
    Effect.mapError(notRead)
  )

export interface OutgoingOptions {
  readonly allowed: AllowedHosts
  /** Allowed hosts of the webhooks of developers' apps. Default: none. */
  readonly allowedToDevelopers?: AllowedHosts
  /** The lookup of hosts that the operator did not allow; its addresses are checked. Default: that of `Internet`. */
  readonly lookup?: LookupFunction
  /** Milliseconds for a whole request. Default: {@link RequestTimeout}. */
  readonly timeoutMillis?: number
  /** The trusted certificates. Default: those of `Internet`. */
  readonly secureContext?: SecureContext
}

/** DNS with timeouts short enough that one dead server does not cost the request. */
const makeDnsLookup = () => lookupBy(new promises.Resolver({ timeout: 2000, tries: 2 }))

/** DNS lookup and trusted certificates for hosts that the operator did not allow. */
export const Internet = Context.Reference<{ readonly lookup: LookupFunction; readonly secureContext: SecureContext }>(
  "layers/webhooks/Internet",
  {
    defaultValue: (): { readonly lookup: LookupFunction; readonly secureContext: SecureContext } => ({
      lookup: guarded(makeDnsLookup()),
      secureContext: createSecureContext()
    })
  }
)

/**
 * Sends requests to public addresses and allowed hosts only (docs/webhooks.md), and through no proxy. Allowed
 * hosts have a client of their own, so that none of its connections serves another URL. The end of the scope closes every
 * connection; requests in progress fail.
 */
export const makeOutgoing = ({
  allowed,
  allowedToDevelopers = NO_HOSTS,
  lookup,
  secureContext: trusted,
  timeoutMillis
}: OutgoingOptions): Effect.Effect<typeof Outgoing.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const internet = yield* Internet
    const timeout = timeoutMillis ?? (yield* RequestTimeout)
    const secureContext = trusted ?? internet.secureContext
    const lookupPublic = lookup === undefined ? internet.lookup : guarded(lookup)
    const toPublic = yield* makeGuardedHttpClient(lookupPublic, secureContext, timeout)
    const toAllowed = yield* makeGuardedHttpClient(systemLookup, secureContext, timeout)

    const send = Effect.fn("Outgoing.send")(function* (request: OutgoingRequest) {
      const target = checkUrl(request.url, request.isDeveloped === true ? allowedToDevelopers : allowed)
      if (Result.isFailure(target)) return notSent(target.failure.message)
      const { isAllowed, origin, url } = target.success
      yield* Effect.annotateCurrentSpan("server.origin", origin)
      return yield* exchange(isAllowed ? toAllowed : toPublic, request, url)
    })

    return {
      post: send,
      get: (request) => send({ ...request, body: null }),
      open: Effect.fn("Outgoing.open")(function* ({ headers, url }) {
        const target = checkUrl(url, allowed)
        if (Result.isFailure(target)) return yield* new NotRead({ problem: "url", reason: target.failure.reason })
        const { isAllowed, origin, url: checked } = target.success
        yield* Effect.annotateCurrentSpan("server.origin", origin)
        return yield* open(isAllowed ? toAllowed : toPublic, headers, checked)
      })
    }
  })

/** Client of the webhooks of a process. It connects to this machine too in the demo. */
export class Outgoing extends Context.Service<
  Outgoing,
  {
    /**
     * Sends one POST request, once, and follows no redirect. A response, an error, the time limit and interruption end
     * the request entirely.
     */
    readonly post: (request: OutgoingRequest) => Effect.Effect<Attempt>
    /** Sends a GET request in the same way. A response longer than {@link MAX_BODY_BYTES} is an error. */
    readonly get: (request: Omit<OutgoingRequest, "body">) => Effect.Effect<Attempt>
    /** Sends a GET request to a host of `allowed` or a public address, and follows no redirect. The caller bounds the body of the response. */
    readonly open: (
      request: Pick<OutgoingRequest, "url" | "headers">
    ) => Effect.Effect<OpenResponse, NotRead, Scope.Scope>
  }
>()("layers/webhooks/Outgoing") {
  static readonly layer = Layer.effect(
    this,
    Effect.flatMap(Effect.all({ allowed: allowedHosts, allowedToDevelopers: developerHosts }), makeOutgoing)
  )
}
