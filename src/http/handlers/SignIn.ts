import { Effect, type Result, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { AccountLinks } from "../../domain/access/AccountLinks.ts"
import { PasswordAttempt, Email, Merchants, Password } from "../../domain/access/Merchants.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
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

/** Token of a link, which is shorter than the limit. */
const token = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100)))
const decodeLink = decodeWith(Schema.Struct({ token }))
const decodeNewMember = decodeWith(Schema.Struct({ token, name: trimmed(100), password: Password }))
const decodeReset = decodeWith(Schema.Struct({ token, password: Password }))

type Request = HttpServerRequest.HttpServerRequest

const respond = (data: object) => HttpServerResponse.jsonUnsafe({ data })

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
 * returns the merchant and their stores. `POST /auth/invitation` and `/auth/reset` with `{ token }` read a link; `POST
 * /auth/invitation/join` and `/auth/reset/use` also take what a new password needs, and `/auth/invitation/accept` the session.
 */
export const SignInRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const merchants = yield* Merchants
    const links = yield* AccountLinks
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

    /** Adds a route of the pages that links open. */
    const addLinkRoute = <A>(
      path: `/auth/${string}`,
      decode: (json: unknown, isJson: boolean) => Result.Result<A, BadRequest>,
      handle: (body: A, browser: Browser) => Effect.Effect<HttpServerResponse.HttpServerResponse, PublicError>
    ) =>
      router.add(
        "POST",
        path,
        withErrors(
          Effect.fnUntraced(function* (request) {
            yield* requirePublicOrigin(request)
            const body = yield* Effect.fromResult(decode(yield* readJson(request), true))
            return yield* handle(body, browserOf(request))
          })
        )
      )

    yield* addLinkRoute("/auth/invitation", decodeLink, (link, { address }) =>
      Effect.map(links.readInvitation({ ...link, address }), respond)
    )
    yield* addLinkRoute("/auth/invitation/join", decodeNewMember, (member, browser) =>
      Effect.map(links.acceptWithNewAccount({ ...member, ...browser }), ({ session, storeId }) =>
        withSession(session.token)(respond({ ...accountOf(session.signedIn), storeId }))
      )
    )
    yield* addLinkRoute("/auth/invitation/accept", decodeLink, (link, { address, replaced }) =>
      Effect.gen(function* () {
        if (replaced === undefined) return yield* new NotSignedIn()
        const by = yield* sessions.find(replaced, [])
        return respond(yield* links.accept({ ...link, address, by }))
      })
    )
    yield* addLinkRoute("/auth/reset", decodeLink, (link, { address }) =>
      Effect.map(links.readReset({ ...link, address }), respond)
    )
    yield* addLinkRoute("/auth/reset/use", decodeReset, (reset, { address }) =>
      Effect.map(links.reset({ ...reset, address }), respond)
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
