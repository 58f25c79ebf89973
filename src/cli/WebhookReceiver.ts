import { Clock, Effect, FiberSet, Option, Redacted, Schema, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { readBody } from "../http/server/BodyReader.ts"
import { verifyWebhook, type WebhookResult } from "../http/client/Webhooks.ts"

/** The receiver cannot start: its port is in use, or its secret is malformed. The reason is one line. */
export class ReceiverFailed extends Schema.TaggedError<ReceiverFailed>()("ReceiverFailed", { reason: Schema.String }) {
  override get message() {
    return `The receiver cannot start: ${this.reason}`
  }
}

/**
 * The response to deliveries. `accept`: 204, or 400 if verification fails. `fail`: a fixed status from 200 to 599. `hang`:
 * none. `gone`: 410.
 */
export type ReceiverBehaviour = "accept" | { readonly fail: number } | "hang" | "gone"

export interface ReceiverOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** The webhook's secret, `whsec_…`. Without it deliveries are not verified. */
  readonly secret: Option.Option<Redacted.Redacted>
  readonly behaviour: ReceiverBehaviour
  readonly print: (line: string) => Effect.Effect<void>
  /** Prints each delivery as a line of JSON. */
  readonly asJson?: boolean
}

/** Bytes of a delivery: a document of at most 1 MiB and its envelope. */
const MAX_DELIVERY = 2 * 1024 * 1024

/** The fields of an event that are printed. Lenient, because events that fail verification are printed too. */
const EventSummary = Schema.fromJsonString(
  Schema.Struct({
    kind: Schema.String,
    id: Schema.String,
    hops: Schema.optional(Schema.Number),
    data: Schema.Record(Schema.String, Schema.Struct({ id: Schema.String, version: Schema.Number }))
  })
)

const decodeSummary = Schema.decodeUnknownOption(EventSummary)

/** Removes control characters and truncates. Any sender chooses this text, and it must not control the terminal. */
const toPrintable = (text: string) => text.replace(/\p{C}/gu, "\uFFFD").slice(0, 300)

const summarize = (body: Buffer) =>
  Option.match(decodeSummary(body.toString("utf8")), {
    onNone: () => `${body.length} bytes, not an event`,
    onSome: ({ data, hops, id, kind }) => {
      const resources = Object.entries(data).map(([name, value]) => `${name} ${value.id} version ${value.version}`)
      return toPrintable([kind, `event ${id}`, ...resources, `hops ${hops ?? "none"}`].join(", "))
    }
  })

const describeVerification = (result: WebhookResult | undefined) => {
  if (result === undefined) return "? not verified: no secret"
  return result.ok ? "✓ verified" : `✗ ${result.reason}: ${result.message}`
}

const chooseStatus = (behaviour: ReceiverBehaviour, result: WebhookResult | undefined) => {
  if (behaviour === "hang") return undefined
  if (behaviour === "gone") return 410
  if (behaviour !== "accept") return behaviour.fail
  return result === undefined || result.ok ? 204 : 400
}

/** Makes the JSON line of a delivery. `verified` is null without a secret, `event` if the body is not an event. */
const toRecord = (body: Buffer, result: WebhookResult | undefined) => ({
  verified: result?.ok ?? null,
  reason: result?.ok === false ? result.reason : null,
  event: Option.getOrNull(decodeSummary(body.toString("utf8")))
})

const NOT_A_DELIVERY = { verified: false, event: null }

/** Reads and verifies a delivery. Returns the status of the response, if any, and what to print. */
const handleDelivery = Effect.fnUntraced(function* ({ behaviour, secret }: ReceiverOptions, request: IncomingMessage) {
  if (request.method !== "POST") {
    const reason = "not a delivery: deliveries use POST"
    return { status: 405, text: `✗ ${reason}`, record: { ...NOT_A_DELIVERY, reason } }
  }
  const body = yield* readBody(request, MAX_DELIVERY)
  const now = (yield* Clock.currentTimeMillis) / 1000
  const result = Option.isNone(secret)
    ? undefined
    : yield* Effect.promise(() => verifyWebhook(Redacted.value(secret.value), request.headersDistinct, body, { now }))
  return {
    status: chooseStatus(behaviour, result),
    text: `${describeVerification(result)} | ${summarize(body)}`,
    record: toRecord(body, result)
  }
})

const respond = Effect.fnUntraced(function* (
  options: ReceiverOptions,
  request: IncomingMessage,
  response: ServerResponse
) {
  const { record, status, text } = yield* Effect.catch(handleDelivery(options, request), ({ reason }) =>
    Effect.succeed({ status: 413, text: `✗ ${reason}`, record: { ...NOT_A_DELIVERY, reason } })
  )
  const receivedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* options.print(
    options.asJson === true
      ? JSON.stringify({ receivedAt, ...record, status: status ?? null })
      : `${receivedAt.slice(11, 19)}Z ${text} | ${status === undefined ? "no response" : `responded ${status}`}`
  )
  if (status !== undefined) response.writeHead(status).end()
})

const tryStart = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (thrown) => new ReceiverFailed({ reason: thrown instanceof Error ? thrown.message : String(thrown) })
  })

/** Closes the connections too. A request without a response would keep the server open. */
const closeServer = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const formatServerUrl = (server: Server, host: string) => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`
}

/**
 * Starts a receiver for testing webhooks. It accepts POST on any path, verifies each delivery like an app, prints a line
 * about it and responds by `behaviour`, until the scope ends. Returns its URL.
 *
 * @example
 * startWebhookReceiver({ host: "127.0.0.1", port: 4000, secret: Option.none(), behaviour: "accept", print: Console.log }).pipe(
 *   Effect.flatMap((url) => Console.log(`Listening on ${url}`)),
 *   Effect.andThen(Effect.never),
 *   Effect.scoped
 * )
 */
export const startWebhookReceiver = Effect.fn("WebhookReceiver.start")(function* (
  options: ReceiverOptions
): Effect.fn.Return<string, ReceiverFailed, Scope.Scope> {
  const { host, port, secret } = options
  // Verifying an empty delivery fails with a TypeError if the secret is malformed.
  if (Option.isSome(secret)) yield* tryStart(() => verifyWebhook(Redacted.value(secret.value), {}, ""))
  const run = yield* FiberSet.makeRuntime<never>()
  const server = createServer((request, response) => void run(respond(options, request, response)))
  const listening = tryStart(async () => {
    server.listen(port, host)
    await once(server, "listening")
  })
  yield* Effect.acquireRelease(listening, () => closeServer(server))
  return formatServerUrl(server, host)
})
