import { Effect, Schema } from "effect"
import { baseUrl } from "../http/Api.ts"
import { agree, CALLBACK, freshMerchant, type FormChanges } from "./OauthServer.ts"
import { authorizePath, VERIFIER } from "./Browser.ts"

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)
const decodeObject = Schema.decodeUnknownSync(AnyObject)

const post = (path: string, contentType: string, body: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}${path}`, { method: "POST", headers: { "content-type": contentType }, body })
      return { status: response.status, headers: response.headers, json: decodeObject(await response.json()) }
    })
  )

/** Registers a client with this metadata. */
export const registerClient = (metadata: object) =>
  post("/oauth/register", "application/json", JSON.stringify(metadata))

/** Posts a form to the token endpoint. */
export const tokens = (form: Readonly<Record<string, string>>) =>
  post("/oauth/token", "application/x-www-form-urlencoded", new URLSearchParams(form).toString())

/** Registers a client and returns its id. */
export const freshClientId = Effect.map(
  registerClient({ redirect_uris: [CALLBACK], client_name: "Helper" }),
  ({ json }) => String(json["client_id"])
)

/** Path of an agent client's authorization request. */
export const agentPath = (clientId: string, input: Readonly<Record<string, string | undefined>> = {}) =>
  authorizePath(clientId, { redirect_uri: CALLBACK, ...input })

/** Form that exchanges the code in a redirect location. */
export const codeForm = (clientId: string, location: string) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  code: new URL(location).searchParams.get("code") ?? "",
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER
})

/** A merchant who consented to an agent, and the tokens of its client. */
export const freshAgentByConsent = Effect.fn(function* (typed?: FormChanges, input?: Readonly<Record<string, string>>) {
  const merchant = yield* freshMerchant
  const clientId = yield* freshClientId
  const { location } = yield* agree(merchant, new URL(agentPath(clientId, input), yield* baseUrl), typed)
  const { json } = yield* tokens(codeForm(clientId, location))
  const token = String(json["access_token"])
  const refresh = { grant_type: "refresh_token", client_id: clientId, refresh_token: String(json["refresh_token"]) }
  return { ...merchant, clientId, location, token, refresh, scope: json["scope"] }
})
