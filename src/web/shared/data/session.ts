import { Result, Schema } from "effect"
import { queryOptions } from "@tanstack/react-query"
import { callService } from "./service.ts"
import { dataTexts } from "./dataTexts.ts"

/** Signed-in account with its stores. */
export const account = queryOptions({
  queryKey: ["account"],
  queryFn: ({ signal }) => callService((client) => client.account.get({}), signal),
  staleTime: Number.POSITIVE_INFINITY
})

const Rejection = Schema.Struct({ error: Schema.String, issues: Schema.optional(Schema.Array(Schema.String)) })
const decodeRejection = Schema.decodeUnknownResult(Schema.fromJsonString(Rejection))

/** Rejection of a sign-in or sign-up, with one line for each invalid field. */
export class AuthRejected extends Error {
  readonly issues: ReadonlyArray<string>

  constructor({ error, issues = [] }: typeof Rejection.Type) {
    super(error)
    this.issues = issues
  }
}

const UNREACHABLE = { error: dataTexts.errors.signInUnreachable }

const rejectionOf = async (response: Response) =>
  new AuthRejected(Result.getOrElse(decodeRejection(await response.text()), () => UNREACHABLE))

const post = async (path: string, body: object) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw await rejectionOf(response)
}

/** Signs in. The session cookie is not readable by scripts. */
export const signIn = (credentials: { readonly email: string; readonly password: string }): Promise<void> =>
  post("/auth/sign-in", credentials)

/** Creates an account and signs in. */
export const signUp = (account: {
  readonly email: string
  readonly name: string
  readonly password: string
}): Promise<void> => post("/auth/sign-up", account)

export const signOut = (): Promise<void> => post("/auth/sign-out", {})
