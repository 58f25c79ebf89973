import { Effect, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { NewAgent } from "../../../src/domain/access/Agents.ts"
import type { Email, Role } from "../../../src/domain/access/Merchants.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { AgentId } from "../../../src/domain/access/Ids.ts"
import { IdempotencyKey } from "../../../src/domain/Idempotency.ts"
import type { JsonObject } from "../../../src/domain/json/Json.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, makeClient } from "../../../src/rpc/Client.ts"
import type { Handler } from "../../../src/rpc/handlers/Handler.ts"
import { CurrentPrincipal, Principal } from "../../../src/rpc/Principal.ts"
import { baseUrl, makeStore } from "../http/Api.ts"
import { makeMerchant, PASSWORD } from "./Merchants.ts"
import { AGENT } from "../data/Writes.ts"

export const newKey = () => IdempotencyKey.make(randomUUID())

/** Signs in over HTTP and returns the session cookie. */
export const signIn = (email: Email, password = PASSWORD) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/auth/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, password })
      })
      return response.headers.get("set-cookie")?.split(";")[0] ?? ""
    })
  )

/** Creates a session without HTTP and returns its cookie. */
export const sessionOf = (email: Email) =>
  Effect.gen(function* () {
    const { signIn } = yield* Sessions
    const attempt = {
      email,
      password: Redacted.make(PASSWORD),
      address: randomUUID(),
      userAgent: "Test",
      replaced: undefined
    }
    return `session=${Redacted.value((yield* signIn(attempt)).token)}`
  })

export const clientOf = (cookie: string, timeout: number = 30_000) =>
  Effect.flatMap(baseUrl, (base) => makeClient({ url: `${base}/rpc`, headers: { cookie }, timeout }))

/** A signed-in merchant with a new store and a client. */
export const freshMember = Effect.fn(function* (options: { readonly role?: Role; readonly plan?: string } = {}) {
  const storeId = yield* makeStore(options.plan)
  return { storeId, ...(yield* memberOf(storeId, options.role)) }
})

export const memberOf = Effect.fn(function* (storeId: StoreId, role: Role = "owner") {
  if (role === "staff") yield* makeMerchant([storeId])
  const { email, id } = yield* makeMerchant([storeId], role)
  const cookie = yield* sessionOf(email)
  return { email, merchantId: id, cookie, client: yield* clientOf(cookie) }
})

const toAgent = Schema.decodeUnknownSync(NewAgent)

/** Creates an agent as a member, and returns its token and client. */
export const agentOf = Effect.fn(function* (
  { client, storeId }: { readonly client: Client; readonly storeId: StoreId },
  settings: Partial<NewAgent> = {}
) {
  const agent = toAgent({ name: "Helper", scopes: Scope.literals, ...settings })
  const { id, token } = yield* client.agents.create({ storeId, idempotencyKey: newKey(), agent })
  const authorization = `Bearer ${token}`
  const url = `${yield* baseUrl}/rpc`
  return { id, token, authorization, client: yield* makeClient({ url, headers: { authorization } }) }
})

/** Posts a body unchanged to `/rpc` of the service at `base`. */
export const postTo = (
  base: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  method = "POST"
) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/rpc`, {
      method,
      headers: { "content-type": "application/ndjson", ...headers },
      ...(method === "GET" ? {} : { body })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

export const post = (body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>, method?: string) =>
  Effect.flatMap(baseUrl, (base) => postTo(base, body, headers, method))

/** One line of a request body. */
export const callLine = (tag: string, payload: unknown, rest: object = {}) =>
  `${JSON.stringify({ _tag: "Request", id: "1", tag, payload, ...rest })}\n`

const Lines = Schema.Array(
  Schema.Struct({
    _tag: Schema.Literal("Exit"),
    requestId: Schema.String,
    exit: Schema.Union([
      Schema.Struct({ _tag: Schema.Literal("Success"), value: Schema.Unknown }),
      Schema.Struct({
        _tag: Schema.Literal("Failure"),
        cause: Schema.Tuple([Schema.TaggedStruct("Fail", { error: Schema.Record(Schema.String, Schema.Unknown) })])
      })
    ])
  })
)
const decodeLines = Schema.decodeUnknownSync(Lines, { onExcessProperty: "error" })

/** Decodes the exits of a response by request id. Other lines are rejected. */
export const exitsOf = (text: string) =>
  new Map(
    decodeLines(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).map(({ exit, requestId }) => [requestId, exit] as const)
  )

/** Returns the error of the only call of a response. */
export const errorOf = (text: string) => {
  const [exit] = exitsOf(text).values()
  return exit?._tag === "Failure" ? exit.cause[0].error : undefined
}

/** Calls a procedure as an agent of the store with the scopes. Returns its result or error. */
export const asAgent =
  (storeId: StoreId, scopes: ReadonlyArray<Scope>) =>
  (handler: Handler<unknown>, payload: JsonObject): Effect.Effect<unknown> =>
    handler({ storeId, ...payload }).pipe(
      Effect.map((text): unknown => JSON.parse(text)),
      Effect.catch((error) => Effect.succeed(error)),
      Effect.provideService(
        CurrentPrincipal,
        Principal.Agent({ id: AgentId.make(AGENT.id), storeId, scopes, proposalsOnly: false })
      )
    )
