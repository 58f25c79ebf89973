import { Duration, Effect, Option, Schema, type Scope, type Stream } from "effect"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"
import type { FromClientEncoded } from "effect/rpc/RpcMessage"
import type { ChangeSet } from "../domain/changeSets/ChangeSet.ts"
import type { Changed } from "../domain/journal/Changes.ts"
import {
  type ChangeSetStreamError,
  type ChangeStreamError,
  type FollowedSet,
  type FollowOptions,
  makeStreamCalls,
  type SocketLike
} from "./client/ChangeStream.ts"
import { Rpcs } from "./Rpcs.ts"
import { isPerformed, type UnperformedWrite } from "./groups/CommonSchemas.ts"
import { isExitMessage, makeRequestIds } from "./client/Messages.ts"

export { AgentPatch, NewAgent } from "../domain/access/Agents.ts"
export { AgentId, AppId, InstallationId, MerchantId } from "../domain/access/Ids.ts"
export { AppPatch, NewApp } from "../domain/access/Developers.ts"
export { ProposalId } from "../domain/access/Proposals.ts"
export { InvitationId } from "../domain/access/AccountLinks.ts"
export { Email } from "../domain/access/Merchants.ts"
export { SessionId } from "../domain/access/Sessions.ts"
export { AppPlanId, SubscriptionId } from "../domain/billing/Billing.ts"
export { CollectionId, CreateCollection, UpdateCollection } from "../domain/catalog/Collection.ts"
export { SetInventory } from "../domain/catalog/Inventory.ts"
export { CreateProduct, ProductId, UpdateProduct } from "../domain/catalog/Product.ts"
export { EventId } from "../domain/Events.ts"
export { EntryId } from "../domain/journal/Activity.ts"
export { ExportId } from "../domain/exports/Export.ts"
export { FileId } from "../domain/media/File.ts"
export { IdempotencyKey } from "../domain/Idempotency.ts"
export { CustomerId } from "../domain/records/Customer.ts"
export { OrderId } from "../domain/records/Order.ts"
export { StoreId } from "../domain/Store.ts"
export { ViewId, ViewInput } from "../domain/views/Views.ts"
export type { Changed } from "../domain/journal/Changes.ts"
export { Rpcs } from "./Rpcs.ts"

type Calls = RpcClient.FromGroup<typeof Rpcs, RpcClientError.RpcClientError>

type GroupOf<Tag> = Tag extends `${infer Group}.${string}` ? Group : never

/** Calls grouped by the prefix of their tag. */
type Grouped = {
  readonly [Group in GroupOf<keyof Calls>]: {
    readonly [Tag in keyof Calls as Tag extends `${Group}.${infer Name}` ? Name : never]: Calls[Tag]
  }
}

/** A client of all procedures, such as `client.products.create({ … })`. */
export type Client = Grouped & {
  /**
   * Streams committed changes of a store in ascending order of id, each exactly once. Reconnects until the caller loses
   * access.
   */
  readonly changes: (followed: FollowOptions) => Stream.Stream<Changed, ChangeStreamError>
  readonly changeSets: {
    /** Streams a change set, at once and after each progress, until it is ready, applied, canceled or failed. */
    readonly follow: (followed: FollowedSet) => Stream.Stream<ChangeSet, ChangeSetStreamError>
  }
}

export interface ClientOptions {
  /** URL of `/rpc`. Relative on pages of the same host. */
  readonly url: string
  /** Headers of each call. Outside browsers, the session: `{ cookie: "__Host-session=…" }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Timeout of a call, including its response body. Default: 60 seconds. */
  readonly timeout?: Duration.Input
  /** Opens the socket of `changes` and `changeSets.follow`. Required in Node: its `WebSocket`, new in version 22, sends no cookie. Default: `WebSocket`. */
  readonly webSocket?: (url: string) => SocketLike
  /** Sends requests. Default: `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Request = Extract<FromClientEncoded, { readonly _tag: "Request" }>

const failed = (message: string, cause?: unknown) =>
  new RpcClientError.RpcClientError({ reason: new RpcClientError.RpcClientDefect({ message, cause }) })

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))
const decodeRefusal = Schema.decodeUnknownOption(Refusal)

/** Encodes the fields of a request that the service reads. */
const lineOf = ({ _tag, id, payload, tag }: Request) => `${JSON.stringify({ _tag, id, tag, payload })}\n`

/** Sends a request and reads the whole response. */
const post = ({ fetch = (url, init) => globalThis.fetch(url, init), headers, url }: ClientOptions, request: Request) =>
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
    catch: (cause) => failed("The service is unreachable", cause)
  })

const decodeResponse = (text: string, { id }: Request) =>
  Effect.try({
    try: (): ReadonlyArray<unknown> =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    catch: (cause) => failed("The response is not JSON", cause)
  }).pipe(
    Effect.flatMap((messages) => {
      const exit = messages.filter(isExitMessage).find(({ requestId }) => requestId === id)
      return exit === undefined
        ? Effect.fail(failed("The response lacks the result of the call"))
        : Effect.succeed(exit)
    })
  )

/**
 * Sends each call as one HTTP request. A response without the result of the call, or a timeout,
 * fails the call; with the HTTP protocol of Effect it would never end.
 */
const protocolOf = (options: ClientOptions) =>
  RpcClient.Protocol.make((write) => {
    const { timeout = "60 seconds" } = options

    const send = Effect.fnUntraced(function* (clientId: number, message: FromClientEncoded) {
      if (message._tag !== "Request") return
      const { isOk, status, text } = yield* Effect.timeoutOrElse(post(options, message), {
        duration: timeout,
        orElse: () =>
          Effect.fail(
            failed(`The service did not respond within ${Duration.format(Duration.fromInputUnsafe(timeout))}`)
          )
      })
      if (!isOk) {
        const { error } = Option.getOrElse(decodeRefusal(text), () => ({ error: "no reason given" }))
        return yield* failed(`The service responded with ${status}: ${error}`)
      }
      yield* write(clientId, yield* decodeResponse(text, message))
    })

    return Effect.succeed({
      send,
      supportsAck: false,
      supportsTransferables: false,
      codecFor: RpcSerialization.ndjson.codecFor
    })
  })

const grouped = (calls: Calls): Grouped => {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [tag, call] of Object.entries(calls)) {
    const [group = "", name = ""] = tag.split(".")
    const members = (groups[group] ??= {})
    members[name] = call
  }
  // The type checker cannot follow the split of the tags.
  return groups as Grouped
}

/**
 * Creates a client for browsers and Node. A call fails with the errors of its procedure, with the errors of every call, or
 * with `RpcClientError` if the service is unreachable or does not respond in time.
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
    Effect.map((calls) => {
      const groups = grouped(calls)
      const { followChangeSet, followChanges } = makeStreamCalls(options.url, options.webSocket, (storeId) =>
        calls["store.get"]({ storeId })
      )
      return Object.assign(groups, {
        changes: Object.assign(followChanges, groups.changes),
        changeSets: Object.assign(groups.changeSets, { follow: followChangeSet })
      })
    })
  )

/**
 * Returns the resource of a performed write. Dies if the response is the result of a dry run or a proposal of an agent.
 *
 * @example
 * const { id } = yield* client.products.create({ storeId, idempotencyKey, product }).pipe(performed)
 */
export const performed = <A extends object, E, R>(
  write: Effect.Effect<A, E, R>
): Effect.Effect<Exclude<A, UnperformedWrite>, E, R> =>
  Effect.flatMap(write, (answer) =>
    isPerformed(answer)
      ? Effect.succeed(answer)
      : Effect.die(new Error("The write was not performed: the response is a dry run or a proposal"))
  )
