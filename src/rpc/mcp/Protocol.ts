import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server
} from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import { bareNumbers, type JsonObject } from "../../domain/Json.ts"
import type { Agent } from "../Principal.ts"
import type { AnswerCall } from "../server/InProcessCalls.ts"
import { INSTRUCTIONS } from "./Instructions.ts"
import { makeResources } from "./Resources.ts"
import { makeTools, type Tool } from "./Tools.ts"

/** A message of an agent's client. */
export interface Sent {
  readonly agent: Agent
  readonly message: JsonObject
  /** The headers of its request that the protocol reads. */
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
}

/** What a message is answered with; nothing, where it asked for nothing. */
interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
}

/** The address is not read: the request was matched before. */
const ADDRESS = "http://localhost/mcp"

const INFO = { name: "partner-api", title: "Partner API", version: "1" }

/** Those before 2026-07-28, which the library adds. In what was before these, a body could hold many messages. */
const VERSIONS = ["2025-11-25", "2025-06-18"]

/** Seconds in which every message is answered: a tool takes less. */
const SECONDS = 60

const isFor = ({ scopes }: Agent, { callers }: Tool) =>
  callers === "all" || (callers !== "none" && scopes.includes(callers))

/** Answers each message by a server of its own: nothing is shared with another (docs/decisions/0016). */
export const makeAnswer = (answerCall: AnswerCall) => {
  const tools = makeTools(answerCall)
  const toolsByName = new Map(tools.map((tool) => [tool.definition.name, tool]))
  const resources = makeResources(answerCall)
  const resourcesByUri = new Map(resources.map((resource) => [resource.definition.uri, resource]))

  const serverOf = ({ agent, requestId }: Sent, run: <A>(effect: Effect.Effect<A>) => Promise<A>) => {
    const server = new Server(INFO, {
      capabilities: { tools: {}, resources: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: VERSIONS
    })
    server.setRequestHandler("tools/list", () => ({
      tools: tools.filter((tool) => isFor(agent, tool)).map(({ definition }) => definition)
    }))
    server.setRequestHandler("tools/call", ({ params }) => {
      const tool = toolsByName.get(params.name)
      if (tool !== undefined) return run(tool.call(params.arguments ?? {}, agent, requestId))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "There is no such tool; tools/list names those there are"
      )
    })
    server.setRequestHandler("resources/list", () => ({ resources: resources.map(({ definition }) => definition) }))
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }))
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const resource = resourcesByUri.get(uri)
      if (resource === undefined) throw new ResourceNotFoundError(uri)
      const read = await run(Effect.result(resource.read(agent, requestId)))
      if (Result.isSuccess(read)) {
        const { mimeType } = resource.definition
        return { contents: [{ uri, text: read.success, ...(mimeType === undefined ? {} : { mimeType }) }] }
      }
      throw new ProtocolError(ProtocolErrorCode.InternalError, `This cannot be read now (request ${requestId})`)
    })
    return server
  }

  return (sent: Sent): Effect.Effect<Answer> =>
    Effect.gen(function* () {
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      const errors: Array<Error> = []
      const answer = yield* Effect.promise(async (signal): Promise<Answer> => {
        const { fetch } = createMcpHandler(() => serverOf(sent, (effect) => runPromise(effect, { signal })), {
          maxSubscriptions: 0,
          keepAliveMs: 0,
          onerror: (error) => errors.push(error)
        })
        const request = new Request(ADDRESS, { method: "POST", headers: sent.headers })
        const response = await fetch(request, { parsedBody: sent.message })
        const contentType = response.headers.get("content-type") ?? undefined
        return { status: response.status, contentType, body: bareNumbers(await response.text()) }
      })
      if (answer.status >= 500) {
        yield* Effect.annotateLogs(Effect.logError("A message was not answered", ...errors), {
          requestId: sent.requestId
        })
      }
      return answer
    }).pipe(
      Effect.timeoutOrElse({
        duration: `${SECONDS} seconds`,
        orElse: () => Effect.die(new Error("A message was not answered in time"))
      })
    )
}
