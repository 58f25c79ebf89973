import { Effect } from "effect"
import { hash } from "node:crypto"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { ALL_GRANTS, type Grants } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { baseUrl } from "../http/Api.ts"
import { PASSWORD } from "../rpc/Merchants.ts"

export const REDIRECT = "https://app.example/callback"

/** Registers an app with a redirect URI. */
export const makeOauthApp = (
  declared: { readonly name?: string; readonly redirectUris?: ReadonlyArray<string> } & Partial<Grants> = {}
) =>
  Effect.flatMap(Apps, (apps) =>
    apps.create({ name: "Restocker", redirectUris: [REDIRECT], ...ALL_GRANTS, ...declared })
  )

export const VERIFIER = "a-verifier-of-forty-three-characters-or-more-it-is"

/** Path of an app's authorization request. Parameters that are undefined are omitted. */
export const authorizePath = (clientId: string, input: Readonly<Record<string, string | undefined>> = {}) => {
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: "a state & more",
    code_challenge: hash("sha256", VERIFIER, "base64url"),
    code_challenge_method: "S256",
    ...input
  }
  const query = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `/oauth/authorize?${new URLSearchParams(query)}`
}

/** A page or redirect, as a browser receives it. */
export interface BrowserPage {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  readonly location: string
}

const FIELD = /<input[^>]*? name="(\w+)"[^>]*? value="([^"]*)"[^>]*>/g
const CHOICE = /<select[^>]*? name="(\w+)"[^>]*>[^]*?<option value="([^"]*)"\s+selected/g

const isOff = (field: string) => field.includes('type="checkbox"') && !/\schecked\b/.test(field)

const unescaped = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) =>
    name === "amp" ? "&" : name === "lt" ? "<" : name === "gt" ? ">" : name === "quot" ? '"' : "'"
  )

/** Initial values of the form fields of a page. */
export const fieldsOf = ({ text }: BrowserPage): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(FIELD), ...text.matchAll(CHOICE)]
      .filter(([field]) => !isOff(field))
      .map(([, name = "", value = ""]) => [name, unescaped(value)])
  )

/** Visible text of a page. */
export const visibleText = ({ text }: BrowserPage) =>
  unescaped(text.replace(/<style>[^]*<\/style>/, "").replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim()

interface Sent {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A browser that stores cookies and does not follow redirects. */
export const makeBrowser = Effect.map(baseUrl, (base) => {
  const cookies = new Map<string, string>()

  const ask = (method: "GET" | "POST", path: string, { body, headers = {} }: Sent = {}) =>
    Effect.callback<BrowserPage>((resume) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const sending: ClientRequest = request(
        `${base}${path}`,
        {
          method,
          headers: {
            ...(cookie === "" ? {} : { cookie }),
            ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded", origin: base }),
            ...headers
          }
        },
        (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part: string) => (text += part))
          response.on("end", () => {
            for (const set of response.headers["set-cookie"] ?? []) {
              const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
              if (/Max-Age=0;/.test(set)) cookies.delete(name)
              else cookies.set(name, value)
            }
            const { headers, statusCode: status = 0 } = response
            resume(Effect.succeed({ status, headers, text, location: headers.location ?? "" }))
          })
        }
      )
      sending.end(body)
    })

  const open = (path: string) => ask("GET", path)
  const send = (path: string, fields: Readonly<Record<string, string>>, headers?: Sent["headers"]) =>
    ask("POST", path, { body: new URLSearchParams(fields).toString(), ...(headers === undefined ? {} : { headers }) })

  return {
    cookies,
    ask,
    open,
    send,
    /** Submits the form of a page with changed fields. */
    press: (path: string, page: BrowserPage, intent: string, typed: Readonly<Record<string, string>> = {}) =>
      send(path, { ...fieldsOf(page), ...typed, intent }),
    /** Signs in at an authorization request and returns the next page. */
    signIn: Effect.fn(function* (path: string, email: string) {
      const page = yield* open(path)
      const { location } = yield* send(path, { ...fieldsOf(page), email, password: PASSWORD, intent: "sign-in" })
      return yield* open(location)
    })
  }
})
