import { Either, Schema } from "effect"
import { queryOptions } from "@tanstack/react-query"
import { ask } from "./Service.ts"

/** Who is signed in, and where they work. */
export const account = queryOptions({
  queryKey: ["account"],
  queryFn: ({ signal }) => ask((client) => client.account.get({}), signal),
  staleTime: Number.POSITIVE_INFINITY
})

const decodeRefusal = Schema.decodeUnknownEither(Schema.parseJson(Schema.Struct({ error: Schema.String })))

/** Why the service refused: its own words, where it said any. */
const refusalIn = async (response: Response) =>
  new Error(
    Either.match(decodeRefusal(await response.text()), {
      onLeft: () => "The service cannot be reached; try again in a moment",
      onRight: ({ error }) => error
    })
  )

const post = async (path: string, body: object) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw await refusalIn(response)
}

/** Signs in: the browser then holds the cookie of a session, which no script can read. */
export const signIn = (credentials: { readonly email: string; readonly password: string }): Promise<void> =>
  post("/auth/sign-in", credentials)

/** Ends the session of this browser. */
export const signOut = (): Promise<void> => post("/auth/sign-out", {})
