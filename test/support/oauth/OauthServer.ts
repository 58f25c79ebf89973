import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import { UnauthorizedError as FirstUnauthorized } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert } from "@effect/vitest"
import { Config, Effect, Layer } from "effect"
import { listen } from "../../../src/http/server/HttpListener.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { ClientsLive } from "../../../src/layers/oauth/Clients.ts"
import { ServerLive } from "../../../src/Server.ts"
import { baseUrl, makeStore } from "../http/Api.ts"
import { OpenedClients } from "./ClientDocuments.ts"
import { PostgresTest } from "../postgres/PostgresTest.ts"
import { makeMerchant } from "../rpc/Merchants.ts"
import { makeBrowser, type BrowserPage } from "./Browser.ts"

/** The whole service, which may also fetch client documents from this machine. */
export const OauthTest = ServerLive.pipe(
  Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
  Layer.provideMerge(Layer.fresh(Layer.provideMerge(ClientsLive, OpenedClients))),
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest)
)

export const CALLBACK = "http://127.0.0.1:4711/callback"

/** OAuth provider for an official client. It stores all data in memory and follows no redirect. */
export const makeProvider = (clientMetadataUrl?: string) => {
  const clientMetadata: OAuthClientMetadata = { client_name: "Helper", redirect_uris: [CALLBACK] }
  const memory: {
    client?: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>
    tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>
    discovered?: Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>
    verifier: string
    ledTo: URL | undefined
  } = { verifier: "", ledTo: undefined }
  return {
    memory,
    redirectUrl: CALLBACK,
    clientMetadata,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    state: () => "a state",
    clientInformation: () => memory.client,
    saveClientInformation: (client: NonNullable<typeof memory.client>) => void (memory.client = client),
    tokens: () => memory.tokens,
    saveTokens: (tokens: NonNullable<typeof memory.tokens>) => void (memory.tokens = tokens),
    redirectToAuthorization: (url: URL) => void (memory.ledTo = url),
    saveCodeVerifier: (verifier: string) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier,
    saveDiscoveryState: (state: NonNullable<typeof memory.discovered>) => void (memory.discovered = state),
    discoveryState: () => memory.discovered,
    invalidateCredentials: () => void delete memory.tokens
  }
}

export type Provider = ReturnType<typeof makeProvider>

const INFO = { name: "test", version: "1" }

/** A connection that is unauthorized until a merchant consents. */
interface Connecting {
  readonly connect: () => Promise<void>
  readonly finish: (callback: URLSearchParams) => Promise<void>
  readonly listTools: () => Promise<ReadonlyArray<{ readonly name: string }>>
  readonly close: () => Promise<void>
}

const newest =
  (mode: "auto" | "legacy") =>
  (url: URL, authProvider: Provider): Connecting => {
    const client = new Client(INFO, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(url, { authProvider })
    return {
      connect: () => client.connect(transport),
      finish: (callback) => transport.finishAuth(callback),
      listTools: async () => (await client.listTools()).tools,
      close: () => client.close()
    }
  }

const first = (url: URL, authProvider: Provider): Connecting => {
  const client = new FirstClient(INFO)
  const transport = new FirstTransport(url, { authProvider })
  return {
    connect: () => client.connect(transport),
    finish: (callback) => transport.finishAuth(callback.get("code") ?? ""),
    listTools: async () => (await client.listTools()).tools,
    close: () => client.close()
  }
}

/** The official clients with OAuth, by protocol version. */
export const CLIENTS = { "2026-07-28": newest("auto"), "2025-11-25": newest("legacy"), "the first line": first }

/** A merchant with one store and a browser. */
export const freshMerchant = Effect.gen(function* () {
  const storeId = yield* makeStore()
  return { storeId, ...(yield* makeMerchant([storeId])), visitor: yield* makeBrowser }
})

/** Form fields that the merchant changes. Checkboxes are "on" or "off". */
export type FormChanges = Readonly<Record<string, string>>

/** Opens a URL as the merchant, signs in and consents. Returns the redirect location. */
export const agree = Effect.fn(function* (
  { email, visitor }: Effect.Success<typeof freshMerchant>,
  at: URL | undefined,
  typed: FormChanges = {}
): Effect.fn.Return<BrowserPage> {
  const path = `${at?.pathname ?? ""}${at?.search ?? ""}`
  const page = yield* visitor.signIn(path, email)
  assert.strictEqual(page.status, 200, page.text)
  return yield* visitor.press(path, page, "allow", typed)
})

const isUnauthorized = (error: unknown) => error instanceof UnauthorizedError || error instanceof FirstUnauthorized

/**
 * Connects a client that knows only the MCP URL: it is unauthorized, discovers the server, and a merchant consents. The
 * connection ends with the scope.
 */
export const connectWithConsent = Effect.fn(function* (
  connecting: (url: URL, provider: Provider) => Connecting,
  provider: Provider,
  merchant: Effect.Success<typeof freshMerchant>,
  path = "/mcp"
) {
  const url = new URL(path, yield* baseUrl)
  const before = connecting(url, provider)
  const refused = yield* Effect.promise(() => before.connect().catch((error: unknown) => error))
  assert.isTrue(isUnauthorized(refused), String(refused))
  const { location } = yield* agree(merchant, provider.memory.ledTo)
  yield* Effect.promise(() => before.finish(new URL(location).searchParams))
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const connection = connecting(url, provider)
      await connection.connect()
      return connection
    }),
    (connection) => Effect.promise(() => connection.close())
  )
})
