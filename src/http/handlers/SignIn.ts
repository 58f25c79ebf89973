import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PasswordAttempt, Email, Merchants, Password } from "../../domain/access/Merchants.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { type Browser, ForeignOrigin, NotSignedIn, Sessions, type SignedIn } from "../../domain/access/Sessions.ts"
import { trimmed } from "../../domain/catalog/Fields.ts"
import { parseJsonBody, readBody } from "../server/BodyReader.ts"
import { type PublicError, toErrorReply } from "../ErrorTable.ts"
import { toNodeResponse } from "../server/NodeResponse.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"
import { makeSessionCookie } from "../headers/Credentials.ts"

/** Bytes of a request body, which holds an email address and a password. */
const MAX_BODY = 16 * 1024

const decodeCredentials = decodeWith(Schema.Struct({ email: Email, password: PasswordAttempt }))
const decodeAccount = decodeWith(Schema.Struct({ email: Email, name: trimmed(100), password: Password }))

type Request = HttpServerRequest.HttpServerRequest

const respond = (data: object) => HttpServerResponse.jsonUnsafe({ data }, { headers: { "cache-control": "no-store" } })

const errorResponse = (error: PublicError) => {
  const { body, headers, status } = toErrorReply(error)
  return HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
}

const readJson = (request: Request) =>
  Effect.flatMap(Effect.result(readBody(toNodeResponse(request).req, MAX_BODY)), (body) =>
    Effect.map(parseJsonBody({ body, header: (name) => request.headers[name] }), ({ json }) => json)
  )

const accountOf = ({ email, merchantId, name }: SignedIn) => ({ merchantId, email, name })

/** Converts errors of a handler to error responses. */
const withErrors =
  (handle: (request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, PublicError>) =>
  (request: Request) =>
    Effect.catch(handle(request), (error) => Effect.succeed(errorResponse(error)))

/**
 * Routes of merchant sessions. `POST /auth/sign-in` with `{ email, password }` sets the session cookie. `POST
 * /auth/sign-up` also takes a `name` and creates the account. `POST /auth/sign-out` ends the session. `GET /auth/session`
 * returns the merchant and their stores.
 */
export const SignInRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const merchants = yield* Merchants
    const { isPublicHost, isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken, withSession, withoutSession } = yield* makeSessionCookie

    const requirePublicOrigin = ({ headers }: Request) =>
      isPublicHost(headers) && isSameOrigin(headers) ? Effect.void : Effect.fail(new ForeignOrigin())

    const browserOf = (request: Request): Browser => ({
      address: toNodeResponse(request).address,
      userAgent: request.headers["user-agent"],
      replaced: sessionToken(request.headers)
    })

    yield* router.add(
      "POST",
      "/auth/sign-in",
      withErrors(
        Effect.fnUntraced(function* (request) {
          yield* requirePublicOrigin(request)
          const credentials = yield* Effect.fromResult(decodeCredentials(yield* readJson(request), true))
          const { signedIn, token } = yield* sessions.signIn({ ...credentials, ...browserOf(request) })
          return withSession(token)(respond(accountOf(signedIn)))
        })
      )
    )

    yield* router.add(
      "POST",
      "/auth/sign-up",
      withErrors(
        Effect.fnUntraced(function* (request) {
          yield* requirePublicOrigin(request)
          const account = yield* Effect.fromResult(decodeAccount(yield* readJson(request), true))
          const { signedIn, token } = yield* sessions.signUp({ ...account, ...browserOf(request) })
          return withSession(token)(respond(accountOf(signedIn)))
        })
      )
    )

    yield* router.add(
      "POST",
      "/auth/sign-out",
      withErrors(
        Effect.fnUntraced(function* (request) {
          yield* requirePublicOrigin(request)
          const token = sessionToken(request.headers)
          if (token !== undefined) yield* sessions.signOut(token)
          return withoutSession(respond({ signedOut: true }))
        })
      )
    )

    yield* router.add(
      "GET",
      "/auth/session",
      withErrors(
        Effect.fnUntraced(function* (request) {
          const token = sessionToken(request.headers)
          if (token === undefined) return yield* new NotSignedIn()
          const signedIn = yield* sessions.find(token, [])
          return respond({ ...accountOf(signedIn), stores: yield* merchants.memberships(signedIn.merchantId) })
        })
      )
    )
  })
)
