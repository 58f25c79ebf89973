import { queryOptions } from "@tanstack/react-query"
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Option, Result, Schema } from "effect"
import { InvitationOffer } from "../../../domain/access/AccountLinks.ts"
import { type Client, Email, makeClient, MerchantId, StoreId } from "../../../rpc/Client.ts"
import { dataTexts } from "../sharedTexts.ts"
import { whileSignedIn } from "./session.ts"

/** RPC client of the service. */
export class Service extends Context.Service<Service, Client>()("web/Service") {}

/** Runtime of the client. The change stream stays open while a store is open. */
export const runtime = ManagedRuntime.make(Layer.effect(Service, makeClient({ url: "/rpc", timeout: "30 seconds" })))

/** Call of a procedure. */
export type Call<A, E> = (client: Client) => Effect.Effect<A, E>

const callOnce = async <A, E>(call: Call<A, E>, signal?: AbortSignal): Promise<A> => {
  const program = Effect.flatMap(Service, call)
  const exit = await runtime.runPromiseExit(program, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
}

/**
 * Runs a call as a promise. Rejects with the tagged error of the procedure, whose message is written for people. The
 * signal interrupts the call. If the session has ended, the user signs in over the page and the call runs again.
 */
export const callService = <A, E>(call: Call<A, E>, signal?: AbortSignal): Promise<A> =>
  whileSignedIn(() => callOnce(call, signal))

/** Signed-in account with its stores. Without a session, routes lead to the sign-in page. */
export const account = queryOptions({
  queryKey: ["account"],
  queryFn: ({ signal }) => callOnce((client) => client.account.get({}), signal),
  staleTime: Number.POSITIVE_INFINITY
})

const Rejection = Schema.Struct({ error: Schema.String, issues: Schema.optional(Schema.Array(Schema.String)) })
const decodeRejection = Schema.decodeUnknownResult(Schema.fromJsonString(Rejection))

/** Rejection of a sign-in or sign-up, with one line for each invalid field. */
class AuthRejected extends Error {
  readonly issues: ReadonlyArray<string>

  constructor({ error, issues = [] }: typeof Rejection.Type) {
    super(error)
    this.issues = issues
  }
}

const UNREACHABLE = { error: dataTexts.errors.signInUnreachable }

const rejectionOf = async (response: Response) =>
  new AuthRejected(Result.getOrElse(decodeRejection(await response.text()), () => UNREACHABLE))

const SIGN_IN_PROBLEMS: Readonly<Record<number, string>> = {
  400: dataTexts.errors.signInRefused,
  401: dataTexts.errors.signInRefused,
  429: dataTexts.errors.tooManySignIns
}

/** Refusal of a sign-in, in the language of the pages. */
const signInRejectionOf = async (response: Response) => {
  const error = SIGN_IN_PROBLEMS[response.status]
  return error === undefined ? rejectionOf(response) : new AuthRejected({ error })
}

const post = async (path: string, body: object, toError = rejectionOf): Promise<Response> => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw await toError(response)
  return response
}

/** Creates an account and signs in. */
export const signUp = (account: {
  readonly email: string
  readonly name: string
  readonly password: string
}): Promise<unknown> => post("/auth/sign-up", account)

export const signOut = (): Promise<unknown> => post("/auth/sign-out", {})

/** Makes a function that decodes the data of a response. */
const dataReader = <A, I>(data: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data })))
  return async (response: Promise<Response>): Promise<A> => decode(await (await response).text()).data
}

const SignedIn = Schema.Struct({ merchantId: MerchantId })
export type SignedIn = typeof SignedIn.Type

const readSignedIn = dataReader(SignedIn)
const readOffer = dataReader(InvitationOffer)
const readJoined = dataReader(Schema.Struct({ storeId: StoreId }))
const readEmail = dataReader(Schema.Struct({ email: Email }))

/** Signs in. The session cookie is not readable by scripts. */
export const signIn = (credentials: { readonly email: string; readonly password: string }) =>
  readSignedIn(post("/auth/sign-in", credentials, signInRejectionOf))

/** Reads the invitation of a link. */
export const readInvitation = (token: string) => readOffer(post("/auth/invitation", { token }))

/** Accepts an invitation with a new account, and signs in. */
export const joinStore = (member: { readonly token: string; readonly name: string; readonly password: string }) =>
  readJoined(post("/auth/invitation/join", member))

/** Accepts an invitation with the signed-in account. */
export const acceptInvitation = (token: string) => readJoined(post("/auth/invitation/accept", { token }))

/** Reads the account of a reset link. */
export const readReset = (token: string) => readEmail(post("/auth/reset", { token }))

/** Sets the password of the account of a reset link. */
export const resetPassword = (reset: { readonly token: string; readonly password: string }) =>
  readEmail(post("/auth/reset/use", reset))
