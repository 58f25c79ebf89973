import { type CallToolResult, isSpecType, type Tool as Definition } from "@modelcontextprotocol/server"
import { Context, Effect, Schema } from "effect"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { Bool, optional } from "../../domain/catalog/Fields.ts"
import type { JsonText } from "../../domain/Document.ts"
import { type JsonObject, parse } from "../../domain/Json.ts"
import { AccessPolicy, ToolDescription } from "../Annotations.ts"
import { CallError } from "../Authentication.ts"
import { type Agent, CallOrigin } from "../Principal.ts"
import { Rpcs } from "../Rpcs.ts"
import { maskDefects, callErrorJson } from "../server/ErrorMasking.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import { truncate, PAGE_LIMITS, SINGLE_LIMITS } from "./Truncation.ts"
import { toInputSchema, type ObjectSchema, toOutputSchema } from "./JsonSchema.ts"
import { successResult, errorResult } from "./Results.ts"

/** A procedure as models see it. */
export interface Tool {
  readonly definition: Definition
  /** Which agents may call it: it is not listed to others. */
  readonly callers: AccessPolicy["agents"]
  readonly call: (given: JsonObject, agent: Agent, requestId: string) => Effect.Effect<CallToolResult>
}

type Rpc = typeof Rpcs.requests extends ReadonlyMap<string, infer R> ? R : never

/** Items of a page where the model does not say how many. */
const PAGE = 10

/** Seconds that a tool may take. Clients give up after 60, and cannot tell so: each message is a request of its own. */
const SECONDS = 45

class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {}) {
  override get message() {
    return `No answer within ${SECONDS} seconds. Ask for less, or repeat it later: a write with the same idempotencyKey, as it may have been done`
  }
}

const TOOK_TOO_LONG: JsonText = JSON.stringify(Schema.encodeSync(TookTooLong)(new TookTooLong()))

/** Ends work that takes too long. A write that has begun goes on to its end. */
const bounded = Effect.timeoutOrElse<JsonText, JsonText, never>({
  duration: `${SECONDS} seconds`,
  orElse: () => Effect.fail(TOOK_TOO_LONG)
})

/** What tools that read take beside what their procedures do. */
const Reading = Schema.Struct({
  whole: optional(
    Bool.annotate({
      description:
        "true shows long texts and lists whole. Ask so before you change what `cut` names: what you did not see would be lost"
    })
  )
})

const decodeReading = decodeWith(Reading)

/** The form of every refusal. */
const Refused = Schema.Struct({
  error: Schema.Struct({
    _tag: Schema.String.annotate({ description: "Which refusal it is" }),
    message: Schema.String.annotate({ description: "What went wrong, and what to do next" })
  })
})

const STORE_GIVEN = new BadRequest({ reason: INVALID, issues: ["storeId: is not a field that can be set"] })

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))
const objectOf = (json: JsonText): JsonObject => decodeObject(parse(json))

/** As models' makers take it: no point may stand in it. */
const nameOf = (tag: string) => tag.replaceAll(".", "_")

/** A description names other procedures as they are defined; a model is told their tools. */
const described = (description: string) =>
  description.replaceAll(/\b[a-z]+\.[a-z]+\b/gi, (word) => (Rpcs.requests.has(word) ? nameOf(word) : word))

/** As in `Products: list`. */
const titleOf = (tag: string) => `${tag.charAt(0).toUpperCase()}${tag.slice(1).replaceAll(".", ": ")}`

/** What a tool is asked with: of its pages it says how long they are. */
const inputSchemaOf = ({ payloadSchema }: Rpc, isWrite: boolean): ObjectSchema => {
  const asked = toInputSchema(payloadSchema)
  const { limit } = asked.properties
  const properties = {
    ...asked.properties,
    ...(limit === undefined ? {} : { limit: { ...limit, default: PAGE } }),
    ...(isWrite ? {} : toInputSchema(Reading).properties)
  }
  return { ...asked, properties }
}

const makeTool = (rpc: Rpc, description: string, executeCall: ExecuteCall): Tool => {
  const { _tag: tag, annotations, errorSchema, payloadSchema, successSchema } = rpc
  const isWrite = "idempotencyKey" in toInputSchema(payloadSchema).properties
  const inputSchema = inputSchemaOf(rpc, isWrite)
  const isPaged = "limit" in inputSchema.properties
  const decodeError = Schema.decodeUnknownSync(Schema.Union([errorSchema, CallError, TookTooLong]))

  /** The payload of a call of the tool. */
  const payloadOf = Effect.fnUntraced(function* (given: JsonObject, { storeId }: Agent) {
    if ("storeId" in given) return yield* STORE_GIVEN
    if (isWrite) return { ...given, storeId }
    yield* Effect.fromResult(decodeReading(given, false))
    const { whole: _, ...payload } = given
    return { ...(isPaged ? { limit: PAGE } : {}), ...payload, storeId }
  })

  const shown = (content: JsonObject, { whole }: JsonObject) =>
    whole === true ? content : truncate(content, isPaged ? PAGE_LIMITS : SINGLE_LIMITS)

  const refusedBy = (json: JsonText) => {
    const encoded = objectOf(json)
    return errorResult(decodeError(encoded), encoded)
  }

  const definition: unknown = {
    name: nameOf(tag),
    title: titleOf(tag),
    description: described(description),
    annotations: {
      readOnlyHint: !isWrite,
      destructiveHint: isWrite && !tag.endsWith(".create"),
      idempotentHint: true,
      openWorldHint: false
    },
    inputSchema,
    outputSchema: toOutputSchema(successSchema, Refused)
  }
  if (!isSpecType.Tool(definition)) throw new Error(`The procedure ${tag} makes no tool that clients would take`)

  return {
    definition,
    callers: Context.get(annotations, AccessPolicy).agents,
    call: (given, agent, requestId) => {
      const origin = { surface: "mcp", requestId } as const
      return Effect.mapError(payloadOf(given, agent), callErrorJson).pipe(
        Effect.flatMap((payload) => executeCall({ tag, payload, principal: agent, origin })),
        bounded,
        Effect.map((json) => successResult(shown(objectOf(json), given))),
        Effect.catch((json) => Effect.sync(() => refusedBy(json))),
        maskDefects,
        Effect.catch((error) => Effect.succeed(refusedBy(callErrorJson(error)))),
        Effect.provideService(CallOrigin, origin)
      )
    }
  }
}

/** The tools that the procedures make, of those that are meant for agents. */
export const makeTools = (executeCall: ExecuteCall): ReadonlyArray<Tool> =>
  [...Rpcs.requests.values()].flatMap((rpc) => {
    const description = Context.get(rpc.annotations, ToolDescription)
    return description === undefined ? [] : [makeTool(rpc, description, executeCall)]
  })
