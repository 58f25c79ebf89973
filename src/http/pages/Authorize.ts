import { Cause, Effect, Option, Redacted, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Membership } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { AccessDenied } from "../../domain/oauth/Refusals.ts"
import { makeSessionCookie } from "../headers/Credentials.ts"
import { type AuthorizationRequest, makeAuthorization } from "../oauth/Authorization.ts"
import { parseParameters, readForm } from "../oauth/Form.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"
import { replyToFailure } from "../Reply.ts"
import { currentResponse, toNodeResponse } from "../server/NodeResponse.ts"
import { type ConsentRequest, makeConsentFlow } from "./ConsentFlow.ts"
import { type ConsentTexts, consentTextsFor } from "./consentTexts.ts"
import { isFormToken } from "./FormToken.ts"
import { html } from "./Html.ts"
import { errorPage, redirect, respond } from "./Page.ts"
import { makeSignIn } from "./SignIn.ts"

const PATH = "/oauth/authorize"

/** The parameter with the selected store. */
const STORE = "store_id"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const parseQuery = ({ url }: Request) => {
  const [path = ""] = url.split("?", 1)
  return parseParameters(url.slice(path.length + 1))
}

/** Makes the URL of the same authorization request. */
const urlOf = (params: URLSearchParams) => `${PATH}?${params}`

/** Makes the URL of the same authorization request for a store, or without a store. */
const urlForStore = (params: URLSearchParams, store?: Membership) => {
  const changed = new URLSearchParams(params)
  if (store === undefined) changed.delete(STORE)
  else changed.set(STORE, store.storeId)
  return urlOf(changed)
}

const linkButton = (location: string, label: string) => html`<a class="button" href="${location}">${label}</a>`

const unverifiedRedirectPage = ({ errors }: ConsentTexts, { message }: Error) =>
  errorPage(errors.linkTitle, errors.linkAdvice(message), 400)

const redirectedErrorPage = ({ errors }: ConsentTexts, location: string) =>
  errorPage(errors.requestTitle, errors.requestAdvice, 400, linkButton(location, errors.backToApp))

/** The session of the merchant, with the secret to which their forms are bound. */
type MerchantSession = Pick<ConsentRequest, "signedIn" | "secret">

/** A valid authorization request, and the session if the merchant is signed in. */
interface ValidRequest {
  readonly request: Request
  readonly texts: ConsentTexts
  readonly params: URLSearchParams
  readonly authorization: AuthorizationRequest
  readonly session: MerchantSession | undefined
}

const toConsentRequest = (
  { authorization, params, texts }: ValidRequest,
  session: MerchantSession
): ConsentRequest => ({
  ...session,
  texts,
  authorization,
  urlFor: (store) => urlForStore(params, store)
})

/** Responds with the handler's success or failure, and converts defects to an error page. */
const withErrorPage =
  (handle: (request: Request) => Effect.Effect<Response, Response, Request>) => (request: Request) =>
    Effect.catchCause(Effect.catch(handle(request), Effect.succeed), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentResponse, ({ requestId }) =>
            Effect.map(replyToFailure(cause, requestId), ({ headers = {}, status }) => {
              const texts = consentTextsFor(request.headers)
              const { unexpectedAdvice, unexpectedTitle } = texts.errors
              return HttpServerResponse.setHeaders(
                respond(errorPage(unexpectedTitle, unexpectedAdvice(requestId), status), texts),
                headers
              )
            })
          )
    )

/**
 * Routes of the authorization endpoint. Errors before the redirect URI is verified are shown on a page. Later errors are
 * redirected to the app. Without a session a link replaces that redirect, so that the endpoint is not an open redirector
 * (RFC 9700, section 4.11.2).
 */
export const AuthorizeRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { check, makeLocation } = yield* makeAuthorization
    const { isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken, withoutSession } = yield* makeSessionCookie
    const { showSignIn, submitSignIn, visit } = yield* makeSignIn
    const { agree, ask } = yield* makeConsentFlow

    const findSession = ({ headers }: Request): Effect.Effect<Option.Option<MerchantSession>> => {
      const secret = sessionToken(headers)
      return secret === undefined
        ? Effect.succeedNone
        : Effect.option(Effect.map(sessions.find(secret, []), (signedIn) => ({ secret, signedIn })))
    }

    const validate = Effect.fnUntraced(function* (request: Request) {
      const texts = consentTextsFor(request.headers)
      const params = yield* Effect.mapError(Effect.fromResult(parseQuery(request)), (error) =>
        respond(unverifiedRedirectPage(texts, error), texts)
      )
      const checked = yield* Effect.result(check(params))
      const session = Option.getOrUndefined(yield* findSession(request))
      if (Result.isSuccess(checked)) return { request, texts, params, authorization: checked.success, session }
      const error = checked.failure
      switch (error._tag) {
        case "UnverifiedRedirect":
          return yield* Effect.fail(respond(unverifiedRedirectPage(texts, error.error), texts))
        case "RedirectedError": {
          const { location } = error
          return yield* Effect.fail(
            session === undefined ? respond(redirectedErrorPage(texts, location), texts) : redirect(location)
          )
        }
      }
    })

    const show = Effect.fnUntraced(function* (valid: ValidRequest) {
      const { authorization, params, request, session, texts } = valid
      if (session === undefined) return showSignIn(request, authorization.client.name)
      return respond(yield* ask(toConsentRequest(valid, session), params.get(STORE)), texts)
    })

    const submit = Effect.fnUntraced(function* (valid: ValidRequest) {
      const { authorization, params, request, session, texts: pageTexts } = valid
      const texts = pageTexts.errors
      const url = urlOf(params)
      const fail = (title: string, text: string, status: number) =>
        Effect.fail(respond(errorPage(title, text, status, linkButton(url, texts.reload)), pageTexts))
      const requireToken = (secret: Redacted.Redacted | undefined, form: URLSearchParams) =>
        isFormToken(secret, form.get("token") ?? "") ? Effect.void : fail(texts.expiredTitle, texts.expiredAdvice, 403)

      if (!isSameOrigin(request.headers)) return yield* fail(texts.refusedTitle, texts.foreignOrigin, 403)
      const form = yield* Effect.catch(readForm(toNodeResponse(request).req), ({ message }) =>
        fail(texts.formTitle, message, 400)
      )
      const intent = form.get("intent")
      if (intent === "sign-in") {
        yield* requireToken(visit.read(request.headers), form)
        return yield* submitSignIn(request, form, authorization.client.name, url)
      }
      // The session has ended. The merchant signs in and reviews the request again.
      if (session === undefined) return redirect(url)
      yield* requireToken(session.secret, form)
      switch (intent) {
        case "sign-out":
          yield* sessions.signOut(session.secret)
          return withoutSession(redirect(urlForStore(params)))
        case "deny":
          return redirect(makeLocation(authorization, new AccessDenied()))
        case "allow": {
          const code = yield* Effect.mapError(agree(toConsentRequest(valid, session), form), (page) =>
            respond(page, pageTexts)
          )
          return redirect(makeLocation(authorization, { code: Redacted.value(code) }))
        }
        default:
          return yield* fail(texts.formTitle, texts.noAction, 400)
      }
    })

    yield* router.add(
      "GET",
      PATH,
      withErrorPage((request) => Effect.flatMap(validate(request), show))
    )
    yield* router.add(
      "POST",
      PATH,
      withErrorPage((request) => Effect.flatMap(validate(request), submit))
    )
  })
)
