import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Schema } from "effect"
import { type NewAgent, WINDOW } from "../../../src/domain/access/Agents.ts"
import { baseUrl } from "../http/Api.ts"
import { agentOf, freshMember } from "./Rpc.ts"

/** A store with a member and an agent with a large window. Returns the agent's token. */
export const freshAgent = Effect.fn(function* (settings: Partial<NewAgent> = {}) {
  const member = yield* freshMember()
  const { token, ...agent } = yield* agentOf(member, { window: WINDOW.most, ...settings })
  return { ...member, agent, token: token ?? "" }
})

const INFO = { name: "test", version: "1" }

const Content = Schema.Record(Schema.String, Schema.Unknown)

/** Result of a tool call. */
const Result = Schema.Struct({
  isError: Schema.optional(Schema.Boolean),
  structuredContent: Content,
  content: Schema.Tuple([Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })])
})
export type Result = typeof Result.Type
export const decodeResult = Schema.decodeUnknownSync(Result)

/** Progress of a call, as the official clients pass it on. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Part of the official clients that tests use. */
export interface AnyClient {
  readonly version: string | undefined
  readonly instructions: string | undefined
  readonly listTools: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>>
  /** Calls a tool, with a progress token if there is `onprogress`. The client validates the result once it has listed the tools. */
  readonly callTool: (
    name: string,
    args: Record<string, unknown>,
    onprogress?: (progress: Progress) => void
  ) => Effect.Effect<Result>
  readonly listResources: Effect.Effect<ReadonlyArray<{ readonly uri: string }>>
  readonly readResource: (uri: string) => Effect.Effect<string>
}

const Contents = Schema.Struct({ contents: Schema.Tuple([Schema.Struct({ text: Schema.String })]) })
const textIn = (read: unknown) => Schema.decodeUnknownSync(Contents)(read).contents[0].text

const transport = (base: string, token: string) =>
  [new URL("/mcp", base), { requestInit: { headers: { authorization: `Bearer ${token}` } } }] as const

const over = (client: Client | FirstClient, version: string | undefined): Effect.Effect<AnyClient> =>
  Effect.sync(() => ({
    version,
    instructions: client.getInstructions(),
    listTools: Effect.promise(async () => (await client.listTools()).tools),
    callTool: (name, args, onprogress) =>
      Effect.promise(async () => {
        const options = onprogress === undefined ? {} : { onprogress }
        const call = { name, arguments: args }
        return decodeResult(
          await (client instanceof Client ? client.callTool(call, options) : client.callTool(call, undefined, options))
        )
      }),
    listResources: Effect.promise(async () => (await client.listResources()).resources),
    readResource: (uri) => Effect.promise(async () => textIn(await client.readResource({ uri })))
  }))

const closing = { close: (client: Client | FirstClient) => Effect.promise(() => client.close()) }

/** Connects the current official client with the newest protocol or an earlier one. */
const connectNewest = (mode: "auto" | "legacy") => (base: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(INFO, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(...transport(base, token)))
      return client
    }),
    closing.close
  ).pipe(Effect.flatMap((client) => over(client, client.getNegotiatedProtocolVersion())))

/** Connects the first official client, which does not support the newest protocol. */
const connectFirst = (base: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new FirstClient(INFO)
      const socket = new FirstTransport(...transport(base, token))
      await client.connect(socket)
      return { client, version: socket.protocolVersion }
    }),
    ({ client }) => closing.close(client)
  ).pipe(Effect.flatMap(({ client, version }) => over(client, version)))

/** Official clients by protocol version. */
export const CLIENTS = {
  "2026-07-28": connectNewest("auto"),
  "2025-11-25": connectNewest("legacy"),
  "2025-11-25, of the first line": connectFirst
}

/** `_meta` of every message in the newest protocol. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** A request of the newest protocol as sent. */
export const messageOf = (method: string, params: Record<string, unknown> = {}) => ({
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: META, ...params } }),
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
    ...(typeof params["uri"] === "string" ? { "mcp-name": params["uri"] } : {})
  }
})

/** Sends a request to `/mcp` unchanged. */
export const send = (init: RequestInit) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/mcp`, { method: "POST", ...init })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  )

const Answered = Schema.fromJsonString(Schema.Struct({ result: Result }))
const decodeAnswered = Schema.decodeUnknownSync(Answered)

/** Calls a tool without a client library. */
export const callTool = (token: string, name: string, args: Record<string, unknown>) => {
  const { body, headers } = messageOf("tools/call", { name, arguments: args })
  return Effect.map(
    send({ body, headers: { ...headers, authorization: `Bearer ${token}` } }),
    ({ text }) => decodeAnswered(text).result
  )
}
