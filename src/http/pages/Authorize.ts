import { Effect, Option, Redacted, Result } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import type { Membership } from "../../domain/access/Merchants.ts"
import { ForeignOrigin, Sessions } from "../../domain/access/Sessions.ts"
import { AccessDenied } from "../../domain/oauth/Refusals.ts"
import { type AuthorizationRequest, makeAuthorization } from "../oauth/Authorization.ts"
import { toNodeResponse } from "../server/NodeResponse.ts"
import { formOf } from "../oauth/Form.ts"
import { makeOriginPolicy } from "../Origin.ts"
import { makeSessionCookie } from "../Credentials.ts"
import { answering } from "./Answering.ts"
import { type Deciding, makeDeciding } from "./Deciding.ts"
import { isOurs } from "./FormToken.ts"
import { html } from "./Html.ts"
import { leadTo, problem, respond } from "./Page.ts"
import { makeSignIn } from "./SignIn.ts"

const PATH = "/oauth/authorize"

/** The parameter that names the store, where there are several. */
const STORE = "store_id"

type Request = HttpServerRequest.HttpServerRequest

const paramsOf = ({ url }: Request) => {
  const [path = ""] = url.split("?", 1)
  return new URLSearchParams(url.slice(path.length + 1))
}

/** The address of the same request for access. */
const here = (params: URLSearchParams) => `${PATH}?${params}`

/** The same for one of the merchant's stores, or for whichever they choose. */
const hereFor = (params: URLSearchParams, store?: Membership) => {
  const others = new URLSearchParams(params)
  if (store === undefined) others.delete(STORE)
  else others.set(STORE, store.storeId)
  return here(others)
}

/** What leads on from what went no further. */
const way = (location: string, words: string) => html`<a class="button" href="${location}">${words}</a>`

const untrusted = ({ message }: Error) =>
  problem("This link does not work", `${message}. The developer of the app can mend it.`, 400)

const sentBack = (location: string) =>
  problem(
    "What the app asks for cannot be given",
    "It is told why when you go back to it.",
    400,
    way(location, "Back to the app")
  )

/** Who is signed in, and what their forms are bound to. */
type Merchant = Pick<Deciding, "signedIn" | "secret">

/** A request for access that may be decided, and who is there to do it. */
interface Asked {
  readonly request: Request
  readonly params: URLSearchParams
  readonly authorization: AuthorizationRequest
  readonly merchant: Merchant | undefined
}

const decidingOf = ({ authorization, params }: Asked, merchant: Merchant): Deciding => ({
  ...merchant,
  asked: authorization,
  addressFor: (store) => hereFor(params, store)
})

/**
 * Where an app sends merchants to be let in. What is wrong before the redirect URI is trusted is told on a page alone.
 * Later the app is told, by a redirect: but where nobody is signed in only by a link, as otherwise anybody could lead
 * anybody anywhere by an address of ours (RFC 9700, section 4.11.2).
 */
export const AuthorizeRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { check, locationOf } = yield* makeAuthorization
    const { isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken, withoutSession } = yield* makeSessionCookie
    const { askWhoItIs, signInBy, visit } = yield* makeSignIn
    const { agree, ask } = yield* makeDeciding

    const whoIs = ({ headers }: Request): Effect.Effect<Option.Option<Merchant>> => {
      const secret = sessionToken(headers)
      return secret === undefined
        ? Effect.succeedNone
        : Effect.option(Effect.map(sessions.find(secret, []), (signedIn) => ({ secret, signedIn })))
    }

    const read = Effect.fnUntraced(function* (request: Request) {
      const params = paramsOf(request)
      const checked = yield* Effect.result(check(params))
      const merchant = Option.getOrUndefined(yield* whoIs(request))
      if (Result.isSuccess(checked)) return { request, params, authorization: checked.success, merchant }
      const refused = checked.failure
      switch (refused._tag) {
        case "Untrusted":
          return yield* Effect.fail(respond(untrusted(refused.error)))
        case "SentBack": {
          const { location } = refused
          return yield* Effect.fail(merchant === undefined ? respond(sentBack(location)) : leadTo(location))
        }
      }
    })

    const show = Effect.fnUntraced(function* (asked: Asked) {
      const { authorization, merchant, params, request } = asked
      if (merchant === undefined) return askWhoItIs(request, authorization.client.name)
      return respond(yield* ask(decidingOf(asked, merchant), params.get(STORE)))
    })

    const take = Effect.fnUntraced(function* (asked: Asked) {
      const { authorization, merchant, params, request } = asked
      const same = here(params)
      const refuse = (title: string, text: string, status: number) =>
        Effect.fail(respond(problem(title, text, status, way(same, "Load the page anew"))))
      const requireToken = (secret: Redacted.Redacted | undefined, form: URLSearchParams) =>
        isOurs(secret, form.get("token") ?? "")
          ? Effect.void
          : refuse("The form is out of date", "It is of another session, or your browser keeps no cookies", 403)

      if (!isSameOrigin(request.headers)) return yield* refuse("Not sent from here", new ForeignOrigin().message, 403)
      const form = yield* Effect.catch(formOf(toNodeResponse(request).req), ({ message }) =>
        refuse("Not a form", message, 400)
      )
      const intent = form.get("intent")
      if (intent === "sign-in") {
        yield* requireToken(visit.read(request.headers), form)
        return yield* signInBy(request, form, authorization.client.name, same)
      }
      // Their session has ended: they say who they are, and look at it again.
      if (merchant === undefined) return leadTo(same)
      yield* requireToken(merchant.secret, form)
      switch (intent) {
        case "sign-out":
          yield* sessions.signOut(merchant.secret)
          return withoutSession(leadTo(hereFor(params)))
        case "deny":
          return leadTo(locationOf(authorization, new AccessDenied()))
        case "allow": {
          const code = yield* Effect.mapError(agree(decidingOf(asked, merchant), form), respond)
          return leadTo(locationOf(authorization, { code: Redacted.value(code) }))
        }
        default:
          return yield* refuse("Not a form", "It does not say what is to be done", 400)
      }
    })

    yield* router.add(
      "GET",
      PATH,
      answering((request) => Effect.flatMap(read(request), show))
    )
    yield* router.add(
      "POST",
      PATH,
      answering((request) => Effect.flatMap(read(request), take))
    )
  })
)
