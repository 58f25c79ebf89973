import { Duration, Effect, Option, Schema, type Scope, type Stream } from "effect"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"
import type { FromClientEncoded } from "effect/rpc/RpcMessage"
import type { Changed } from "../domain/journal/Changes.ts"
import { parse, stringify } from "../domain/Json.ts"
import { type FollowOptions, type ChangeStreamError, makeChangeStream, type SocketLike } from "./client/ChangeStream.ts"
import { Rpcs } from "./Rpcs.ts"
import { isPerformed, type UnperformedWrite } from "./groups/CommonSchemas.ts"
import { isExitMessage, makeRequestIds } from "./client/Messages.ts"

export { AgentPatch, NewAgent } from "../domain/access/Agents.ts"
export { AppId } from "../domain/access/Apps.ts"
export { AppPatch, NewApp } from "../domain/access/Developers.ts"
export { ProposalId } from "../domain/access/Proposals.ts"
export { Email } from "../domain/access/Merchants.ts"
export { InstallationId } from "../domain/access/Installations.ts"
export { SessionId } from "../domain/access/Sessions.ts"
export { AgentId, MerchantId } from "../domain/Actor.ts"
export { AppPlanId, SubscriptionId } from "../domain/billing/Billing.ts"
export { CollectionId, CreateCollection, UpdateCollection } from "../domain/catalog/Collection.ts"
export { SetInventory } from "../domain/catalog/Inventory.ts"
export { CreateProduct, ProductId, UpdateProduct } from "../domain/catalog/Product.ts"
export { EventId } from "../domain/Events.ts"
export { EntryId } from "../domain/journal/Activity.ts"
export { IdempotencyKey } from "../domain/Idempotency.ts"
export { CustomerId } from "../domain/records/Customer.ts"
export { OrderId } from "../domain/records/Order.ts"
export { StoreId } from "../domain/Store.ts"
export type { Changed } from "../domain/journal/Changes.ts"
export { Rpcs } from "./Rpcs.ts"

type Calls = RpcClient.FromGroup<typeof Rpcs, RpcClientError.RpcClientError>

type GroupOf<Tag> = Tag extends `${infer Group}.${string}` ? Group : never

/** The library's calls by tag, grouped by what stands before the dot. */
type Grouped = {
  readonly [Group in GroupOf<keyof Calls>]: {
    readonly [Tag in keyof Calls as Tag extends `${Group}.${infer Name}` ? Name : never]: Calls[Tag]
  }
}

/** A client of every procedure, as in `client.products.create({ … })`. */
export type Client = Grouped & {
  /**
   * What is committed in a store, as it happens, in ascending order of id: none is missed and none comes twice, whatever
   * becomes of the connection, which is opened again until the caller may not follow any more.
   */
  readonly changes: (followed: FollowOptions) => Stream.Stream<Changed, ChangeStreamError>
}

export interface ClientOptions {
  /** Where the service's `/rpc` is. A page of the service's own host says `/rpc`. */
  readonly url: string
  /** Sent with each call. Outside of browsers that is the session: `{ cookie: "__Host-session=…" }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long a call waits for the whole of its answer: 60 seconds. */
  readonly timeout?: Duration.Input
  /** Opens the socket of `changes`, instead of the platform's `WebSocket`: Node has none before version 22, and gives it no cookie. */
  readonly webSocket?: (url: string) => SocketLike
  /** Asks, instead of the platform's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Request = Extract<FromClientEncoded, { readonly _tag: "Request" }>

const failed = (message: string, cause?: unknown) =>
  new RpcClientError.RpcClientError({ reason: new RpcClientError.RpcClientDefect({ message, cause }) })

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))
const decodeRefusal = Schema.decodeUnknownOption(Refusal)

/** What of a request the service reads. */
const lineOf = ({ _tag, id, payload, tag }: Request) => `${stringify({ _tag, id, tag, payload })}\n`

/** What came back for a request, whole. */
const ask = ({ fetch = (url, init) => globalThis.fetch(url, init), headers, url }: ClientOptions, request: Request) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/ndjson" },
        body: lineOf(request),
        signal
      })
      return { isOk: response.ok, status: response.status, text: await response.text() }
    },
    catch: (cause) => failed("The service cannot be reached", cause)
  })

const answerIn = (text: string, { id }: Request) =>
  Effect.try({
    try: (): ReadonlyArray<unknown> => text.trimEnd().split("\n").map(parse),
    catch: (cause) => failed("The service answered what is no JSON", cause)
  }).pipe(
    Effect.flatMap((messages) => {
      const answer = messages.filter(isExitMessage).find(({ requestId }) => requestId === id)
      return answer === undefined ? Effect.fail(failed("The service did not answer the call")) : Effect.succeed(answer)
    })
  )

/**
 * Sends each call with a request of its own and reads its answer whole, numbers with all of their digits. Whatever comes
 * but the end of the call fails it, as no answer in time does: the library's own protocol would wait for ever.
 */
const protocolOf = (options: ClientOptions) =>
  RpcClient.Protocol.make((write) => {
    const { timeout = "60 seconds" } = options

    const send = Effect.fnUntraced(function* (clientId: number, message: FromClientEncoded) {
      if (message._tag !== "Request") return
      const { isOk, status, text } = yield* Effect.timeoutOrElse(ask(options, message), {
        duration: timeout,
        orElse: () =>
          Effect.fail(failed(`The service did not answer within ${Duration.format(Duration.fromInputUnsafe(timeout))}`))
      })
      if (!isOk) {
        const { error } = Option.getOrElse(decodeRefusal(text), () => ({ error: "no reason was given" }))
        return yield* failed(`The service answered ${status}: ${error}`)
      }
      yield* write(clientId, yield* answerIn(text, message))
    })

    return Effect.succeed({
      send,
      supportsAck: false,
      supportsTransferables: false,
      codecFor: RpcSerialization.ndjson.codecFor
    })
  })

/** Whether calls by tag are grouped as their type says. */
const isGrouped = (groups: Readonly<Record<string, object>>): groups is Grouped => Object.keys(groups).length > 0

const grouped = (calls: Calls): Grouped => {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [tag, call] of Object.entries(calls)) {
    const [group = "", name = ""] = tag.split(".")
    const members = (groups[group] ??= {})
    members[name] = call
  }
  if (!isGrouped(groups)) throw new Error("There are no procedures")
  return groups
}

/**
 * A client, for browsers and Node. Each call fails with the errors that its procedure declares, with those that any call
 * may be refused with, and with `RpcClientError` where the service was not reached or did not answer in time.
 *
 * @example
 * Effect.scoped(Effect.gen(function* () {
 *   const client = yield* makeClient({ url: "/rpc" })
 *   const { items } = yield* client.products.list({ storeId, limit: 10 })
 * }))
 */
export const makeClient = (options: ClientOptions): Effect.Effect<Client, never, Scope.Scope> =>
  RpcClient.make(Rpcs, { disableTracing: true, generateRequestId: makeRequestIds() }).pipe(
    Effect.provideServiceEffect(RpcClient.Protocol, protocolOf(options)),
    Effect.map((calls) =>
      Object.assign(grouped(calls), {
        changes: makeChangeStream(options.url, options.webSocket, (storeId) => calls["store.get"]({ storeId }))
      })
    )
  )

/**
 * What a write made, of one that was asked to be done. Without it the answer may also be that of a dry run, or an
 * agent's proposal.
 *
 * @example
 * const { id } = yield* client.products.create({ storeId, idempotencyKey, product }).pipe(performed)
 */
export const performed = <A extends object, E, R>(
  write: Effect.Effect<A, E, R>
): Effect.Effect<Exclude<A, UnperformedWrite>, E, R> =>
  Effect.flatMap(write, (answer) =>
    isPerformed(answer) ? Effect.succeed(answer) : Effect.die(new Error("A write that was to be done was not"))
  )
