import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Predicate, Schema } from "effect"
import { HttpServer } from "effect/http"
import { Rpc } from "effect/rpc"
import { randomUUID } from "node:crypto"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { type Answer, freshClient } from "../http/Api.ts"
import { callTool, freshAgent, type Result } from "./Mcp.ts"
import { callLine, freshMember, post } from "./Rpc.ts"

/* Adapters that give the REST API, RPC and MCP the same interface for writes. */

/** Result of a write in a form that all surfaces share. */
export type Outcome =
  | { readonly made: Record<string, unknown> }
  | { readonly refused: { readonly error: string; readonly issues?: ReadonlyArray<string> } }

interface WriteRequest {
  readonly id?: string
  readonly body?: object
  readonly version?: number
  readonly key?: string
}

type Resource = "product" | "collection"

/** Kind of write. `stock` changes the stock of a product. */
type Verb = "create" | "update" | "delete" | "stock"

/** A surface with a new store. */
export interface Surface {
  readonly storeId: StoreId
  /** Actor and surface of its writes in the journal. */
  readonly writer: string
  readonly write: (verb: Verb, resource: Resource, request: WriteRequest) => Effect.Effect<Outcome>
}

const AnyRecord = Schema.Record(Schema.String, Schema.Unknown)
const Refused = Schema.Struct({
  error: Schema.String,
  issues: Schema.optionalKey(Schema.Array(Schema.String))
})
const decodeRest = Schema.decodeUnknownSync(Schema.Union([Schema.Struct({ data: AnyRecord }), Refused]))
const decodeRecord = Schema.decodeUnknownSync(AnyRecord)

const METHOD = { create: "POST", update: "PATCH", delete: "DELETE", stock: "PATCH" }

const pathOf = (verb: Verb, resource: Resource, id: string | undefined) =>
  `/${resource}s${id === undefined ? "" : `/${id}`}${verb === "stock" ? "/inventory" : ""}`

const tagOf = (verb: Verb, resource: Resource) => (verb === "stock" ? "inventory.change" : `${resource}s.${verb}`)

/** Name of the payload field for a REST body. */
const bodyOf = (verb: Verb, resource: Resource, body: object) =>
  verb === "stock" ? { change: body } : { [verb === "create" ? resource : "patch"]: body }

const restOutcome = ({ json }: Answer): Outcome => {
  const answer = decodeRest(json)
  return "data" in answer ? { made: answer.data } : { refused: answer }
}

export const makeRest = Effect.map(freshClient(), ({ client, storeId }): Surface => ({
  storeId,
  writer: "app rest",
  write: (verb, resource, { body, id, key = randomUUID(), version }) =>
    Effect.map(
      client.send(METHOD[verb], pathOf(verb, resource, id), {
        key,
        headers: {
          // RPC is always strict.
          prefer: "handling=strict",
          ...(version === undefined ? {} : { "if-match": `"${version}"` })
        },
        ...(body === undefined ? {} : { body })
      }),
      restOutcome
    )
}))

export const isText = (value: unknown): value is string => typeof value === "string"

/** Outcome as decoded by the client. */
const rpcOutcome = (tag: string, text: string): Outcome => {
  const rpc = Rpcs.requests.get(tag)
  if (rpc === undefined) return assert.fail(tag)
  const exit = Schema.decodeUnknownSync(Schema.toCodecJson(Rpc.exitSchema(rpc)))(JSON.parse(text).exit)
  if (Exit.isSuccess(exit)) return { made: decodeRecord(exit.value) }
  const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
  const issues =
    Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.filter(isText) : undefined
  return { refused: { error: error.message, ...(issues === undefined ? {} : { issues }) } }
}

/** Payload of a procedure for a write in the caller's store. */
const payloadFor = (verb: Verb, resource: Resource, { body, id, key = randomUUID(), version }: WriteRequest) => ({
  idempotencyKey: key,
  ...(id === undefined ? {} : { id }),
  ...(body === undefined ? {} : bodyOf(verb, resource, body)),
  ...(version === undefined ? {} : { expectedVersion: version })
})

export const makeRpc = Effect.gen(function* () {
  const { cookie, storeId } = yield* freshMember()
  const here = yield* HttpServer.HttpServer
  const surface: Surface = {
    storeId,
    writer: "merchant rpc",
    write: (verb, resource, request) => {
      const tag = tagOf(verb, resource)
      return post(callLine(tag, { storeId, ...payloadFor(verb, resource, request) }), { cookie }).pipe(
        Effect.map(({ text }) => rpcOutcome(tag, text)),
        Effect.provideService(HttpServer.HttpServer, here)
      )
    }
  }
  return surface
})

const decodeToolRefused = Schema.decodeUnknownSync(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.String,
      issues: Schema.optionalKey(Schema.Array(Schema.String))
    })
  })
)

/** Outcome of a tool call. A truncated result is fetched in full. */
/** A tool adds a notice to the result of its procedure. */
const withoutNotice = ({ notice, ...made }: Result["structuredContent"]) => {
  assert.isString(notice)
  return made
}

const toolOutcome = (token: string, resource: Resource, { isError, structuredContent }: Result) =>
  Effect.gen(function* () {
    if (isError === true) {
      const { message, ...rest } = decodeToolRefused(structuredContent).error
      return { refused: { error: message, ...rest } }
    }
    if (structuredContent["cut"] === undefined) return { made: withoutNotice(structuredContent) }
    const whole = yield* callTool(token, `${resource}s_get`, { id: structuredContent["id"], whole: true })
    return { made: withoutNotice(whole.structuredContent) }
  })

export const makeMcp = Effect.gen(function* () {
  const { storeId, token } = yield* freshAgent()
  const here = yield* HttpServer.HttpServer
  const surface: Surface = {
    storeId,
    writer: "agent mcp",
    write: (verb, resource, request) =>
      callTool(token, tagOf(verb, resource).replace(".", "_"), payloadFor(verb, resource, request)).pipe(
        Effect.flatMap((result) => toolOutcome(token, resource, result)),
        Effect.provideService(HttpServer.HttpServer, here)
      )
  }
  return surface
})
