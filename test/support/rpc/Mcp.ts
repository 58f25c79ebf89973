import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Schema } from "effect"
import { type NewAgent, WINDOW } from "../../../src/domain/access/Agents.ts"
import { baseUrl } from "../http/Api.ts"
import { agentOf, freshMember } from "./Rpc.ts"

/** A store with a member, and an agent of it that may make many calls: its token. */
export const freshAgent = Effect.fn(function* (settings: Partial<NewAgent> = {}) {
  const member = yield* freshMember()
  const { token, ...agent } = yield* agentOf(member, { window: WINDOW.most, ...settings })
  return { ...member, agent, token: token ?? "" }
})

const INFO = { name: "test", version: "1" }

const Content = Schema.Record(Schema.String, Schema.Unknown)

/** What a tool answered. */
const Result = Schema.Struct({
  isError: Schema.optional(Schema.Boolean),
  structuredContent: Content,
  content: Schema.Tuple([Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })])
})
export type Result = typeof Result.Type
export const decodeResult = Schema.decodeUnknownSync(Result)

/** What the tests need of an official client. */
export interface AnyClient {
  readonly version: string | undefined
  readonly instructions: string | undefined
  readonly listTools: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>>
  /** Read by the client with the output schema of the tool, once it has listed the tools. */
  readonly callTool: (name: string, args: Record<string, unknown>) => Effect.Effect<Result>
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
    callTool: (name, args) =>
      Effect.promise(async () => decodeResult(await client.callTool({ name, arguments: args }))),
    listResources: Effect.promise(async () => (await client.listResources()).resources),
    readResource: (uri) => Effect.promise(async () => textIn(await client.readResource({ uri })))
  }))

const closing = { close: (client: Client | FirstClient) => Effect.promise(() => client.close()) }

/** The official client of today, which asks for the newest protocol, or for those before it. */
const connectNewest = (mode: "auto" | "legacy") => (base: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(INFO, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(...transport(base, token)))
      return client
    }),
    closing.close
  ).pipe(Effect.flatMap((client) => over(client, client.getNegotiatedProtocolVersion())))

/** The official client of the first line, which has not heard of the newest protocol. */
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

/** The official clients, and the version of the protocol that each of them speaks. */
export const CLIENTS = {
  "2026-07-28": connectNewest("auto"),
  "2025-11-25": connectNewest("legacy"),
  "2025-11-25, of the first line": connectFirst
}

/** What the newest protocol says with each message. */
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** A request of the newest protocol, as it goes over the wire. */
export const messageOf = (method: string, params: Record<string, unknown> = {}) => ({
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }),
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
    ...(typeof params["uri"] === "string" ? { "mcp-name": params["uri"] } : {})
  }
})

/** Sends what is given to `/mcp`, as it is. */
export const send = (init: RequestInit) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/mcp`, { method: "POST", ...init })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  )

const Answered = Schema.fromJsonString(Schema.Struct({ result: Result }))
const decodeAnswered = Schema.decodeUnknownSync(Answered)

/** Calls a tool without a client. */
export const callTool = (token: string, name: string, args: Record<string, unknown>) => {
  const { body, headers } = messageOf("tools/call", { name, arguments: args })
  return Effect.map(
    send({ body, headers: { ...headers, authorization: `Bearer ${token}` } }),
    ({ text }) => decodeAnswered(text).result
  )
}
