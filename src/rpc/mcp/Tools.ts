import { type CallToolResult, isSpecType, type Tool as Definition } from "@modelcontextprotocol/server"
import { Context, Effect, Schema } from "effect"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { Bool, optional } from "../../domain/catalog/Fields.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { removeInvisible } from "../../domain/InvisibleCharacters.ts"
import { type JsonObject } from "../../domain/json/Json.ts"
import { AccessPolicy, StartsJob, ToolDescription } from "../Annotations.ts"
import { CallError } from "../Authentication.ts"
import { type Agent, CallOrigin } from "../Principal.ts"
import { Rpcs } from "../Rpcs.ts"
import { maskDefects, callErrorJson } from "../server/ErrorMasking.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import type { AwaitJob, ReportProgress } from "./Progress.ts"
import { omitNulls, toListedSchema } from "./Arguments.ts"
import { truncate, PAGE_LIMITS, SINGLE_LIMITS } from "./Truncation.ts"
import { toInputSchema, type ObjectSchema, toOutputSchema } from "./JsonSchema.ts"
import { errorResult, proposalRemark, removedRemark, successResult } from "./Results.ts"

/** An MCP tool that calls a procedure. */
export interface Tool {
  readonly definition: Definition
  /** Agents that may call the tool. Other agents do not see it. */
  readonly callers: AccessPolicy["agents"]
  /** True if the tool starts a job, for which it waits if a call asks for progress. */
  readonly startsJob: boolean
  readonly call: (
    args: JsonObject,
    agent: Agent,
    requestId: string,
    report: ReportProgress | undefined
  ) => Effect.Effect<CallToolResult>
}

type Rpc = typeof Rpcs.requests extends ReadonlyMap<string, infer R> ? R : never

/** Default number of items of a page. */
const DEFAULT_PAGE_LIMIT = 10

/** Timeout of a tool in seconds. Clients time out after 60 s and cannot cancel, because messages are separate requests. */
const TOOL_TIMEOUT_SECONDS = 45

class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {}) {
  override get message() {
    return `The tool did not finish within ${TOOL_TIMEOUT_SECONDS} seconds. Request less, or retry later. Retry a write with the same idempotencyKey, because it may have been performed`
  }
}

const TOOK_TOO_LONG: JsonText = JSON.stringify(Schema.encodeSync(TookTooLong)(new TookTooLong()))

/** Interrupts a call after the timeout. A write that has begun completes. */
const withTimeout = Effect.timeoutOrElse<JsonText, JsonText, never>({
  duration: `${TOOL_TIMEOUT_SECONDS} seconds`,
  orElse: () => Effect.fail(TOOK_TOO_LONG)
})

/** Additional arguments of tools that read. */
const ReadArguments = Schema.Struct({
  whole: optional(
    Bool.annotate({
      description:
        "true returns long texts and lists in full. Use it before you change a field that `cut` lists, or its unseen part is lost"
    })
  )
})

const decodeReadArguments = decodeWith(ReadArguments)

/** The schema of errors. */
const ToolError = Schema.Struct({
  error: Schema.Struct({
    _tag: Schema.String,
    message: Schema.String.annotate({ description: "What went wrong and what to do next" })
  })
})

const STORE_ID_NOT_ALLOWED = new BadRequest({ reason: INVALID, issues: ["storeId: is not a field that can be set"] })

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))
const objectOf = (json: JsonText): JsonObject => decodeObject(JSON.parse(json))

/** Replaces dots, which the APIs of models do not accept in names of tools. */
const nameOf = (tag: string) => tag.replaceAll(".", "_")

/** Replaces names of procedures in a description by the names of their tools. */
const toToolText = (description: string) =>
  description.replaceAll(/\b[a-z]+\.[a-z]+\b/gi, (word) => (Rpcs.requests.has(word) ? nameOf(word) : word))

/** Returns a title such as `Products: list`. */
const titleOf = (tag: string) => `${tag.charAt(0).toUpperCase()}${tag.slice(1).replaceAll(".", ": ")}`

/** Returns the schema of arguments, with the default of `limit` and the arguments of reads. */
const inputSchemaOf = ({ payloadSchema }: Rpc, isWrite: boolean): ObjectSchema => {
  const schema = toInputSchema(payloadSchema)
  const { limit } = schema.properties
  const properties = {
    ...schema.properties,
    ...(limit === undefined ? {} : { limit: { ...limit, default: DEFAULT_PAGE_LIMIT } }),
    ...(isWrite ? {} : toInputSchema(ReadArguments).properties)
  }
  return { ...schema, properties }
}

const makeTool = (
  rpc: Rpc,
  description: string,
  executeCall: ExecuteCall,
  awaitJob: AwaitJob,
  origin: string
): Tool => {
  const { _tag: tag, annotations, errorSchema, payloadSchema, successSchema } = rpc
  const isWrite = "idempotencyKey" in toInputSchema(payloadSchema).properties
  const inputSchema = inputSchemaOf(rpc, isWrite)
  const isPaged = "limit" in inputSchema.properties
  const decodeError = Schema.decodeUnknownSync(Schema.Union([errorSchema, CallError, TookTooLong]))

  /** Converts arguments to the payload of the procedure. */
  const payloadOf = Effect.fnUntraced(function* (args: JsonObject, { storeId }: Agent) {
    if ("storeId" in args) return yield* STORE_ID_NOT_ALLOWED
    if (isWrite) return { ...args, storeId }
    yield* Effect.fromResult(decodeReadArguments(args, false))
    const { whole: _, ...payload } = args
    return { ...(isPaged ? { limit: DEFAULT_PAGE_LIMIT } : {}), ...payload, storeId }
  })

  const toResult = (json: JsonText, args: JsonObject, { storeId }: Agent) => {
    const { removed, visible } = removeInvisible(objectOf(json))
    const content = args["whole"] === true ? visible : truncate(visible, isPaged ? PAGE_LIMITS : SINGLE_LIMITS)
    const remarks = [
      ...removedRemark(removed),
      ...(isWrite && "proposal" in visible ? [proposalRemark(`${origin}/dashboard/${storeId}/proposals`)] : [])
    ]
    return successResult(content, remarks)
  }

  const toErrorResult = (json: JsonText) => {
    const encoded = objectOf(json)
    return errorResult(decodeError(encoded), encoded)
  }

  const definition: unknown = {
    name: nameOf(tag),
    title: titleOf(tag),
    description: toToolText(description),
    annotations: {
      readOnlyHint: !isWrite,
      destructiveHint: isWrite && !/\.(?:create|fetch)$/.test(tag),
      idempotentHint: true,
      openWorldHint: tag.endsWith(".fetch")
    },
    inputSchema: toListedSchema(inputSchema),
    outputSchema: toOutputSchema(successSchema, ToolError)
  }
  if (!isSpecType.Tool(definition)) throw new Error(`The procedure ${tag} does not produce a valid tool`)

  return {
    definition,
    callers: Context.get(annotations, AccessPolicy).agents,
    startsJob: Context.get(annotations, StartsJob),
    call: (sent, agent, requestId, report) => {
      const args = omitNulls(sent, inputSchema)
      const origin = { surface: "mcp", requestId } as const
      return Effect.mapError(payloadOf(args, agent), callErrorJson).pipe(
        Effect.flatMap((payload) => executeCall({ tag, payload, principal: agent, origin })),
        withTimeout,
        Effect.timed,
        Effect.flatMap(([elapsed, json]) =>
          report === undefined ? Effect.succeed(json) : awaitJob(json, agent, elapsed, report)
        ),
        Effect.map((json) => toResult(json, args, agent)),
        Effect.catch((json) => Effect.sync(() => toErrorResult(json))),
        maskDefects,
        Effect.catch((error) => Effect.succeed(toErrorResult(callErrorJson(error)))),
        Effect.provideService(CallOrigin, origin)
      )
    }
  }
}

/** Creates a tool from each procedure with a description. */
export const makeTools = (executeCall: ExecuteCall, awaitJob: AwaitJob, origin: string): ReadonlyArray<Tool> =>
  [...Rpcs.requests.values()].flatMap((rpc) => {
    const description = Context.get(rpc.annotations, ToolDescription)
    return description === undefined ? [] : [makeTool(rpc, description, executeCall, awaitJob, origin)]
  })
