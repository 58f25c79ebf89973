import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PasswordAttempt, Email, Merchants, Password } from "../../domain/access/Merchants.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { type Browser, ForeignOrigin, NotSignedIn, Sessions, type SignedIn } from "../../domain/access/Sessions.ts"
import { trimmed } from "../../domain/catalog/Fields.ts"
import { parseJsonBody, readBody } from "../server/BodyReader.ts"
import { type PublicError, toErrorReply } from "../ErrorTable.ts"
import { toNodeResponse } from "../server/NodeResponse.ts"
import { makeOriginPolicy } from "../Origin.ts"
import { makeSessionCookie } from "../Credentials.ts"

/** Bytes of what is sent to sign in: an address and a password. */
const MAX_BODY = 16 * 1024

const decode = decodeWith(Schema.Struct({ email: Email, password: PasswordAttempt }))
const decodeAccount = decodeWith(Schema.Struct({ email: Email, name: trimmed(100), password: Password }))

type Request = HttpServerRequest.HttpServerRequest

const answer = (data: object) => HttpServerResponse.jsonUnsafe({ data }, { headers: { "cache-control": "no-store" } })

const refusal = (error: PublicError) => {
  const { body, headers, status } = toErrorReply(error)
  return HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
}

const bodyOf = (request: Request) =>
  Effect.flatMap(Effect.result(readBody(toNodeResponse(request).req, MAX_BODY)), (body) =>
    Effect.map(parseJsonBody({ body, header: (name) => request.headers[name] }), ({ said }) => said)
  )

const facts = ({ email, merchantId, name }: SignedIn) => ({ merchantId, email, name })

/** Handles a request, and refuses as the API does. */
const answering =
  (handle: (request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, PublicError>) =>
  (request: Request) =>
    Effect.catch(handle(request), (error) => Effect.succeed(refusal(error)))

/**
 * How merchants come in: `POST /auth/sign-in` with `{ email, password }` sets the cookie of a session, `POST
 * /auth/sign-up` with a `name` too, for a new account; `POST /auth/sign-out` ends it, `GET /auth/session` says who is
 * signed in and the stores they are members of.
 */
export const SignInRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const merchants = yield* Merchants
    const { isPublicHost, isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken, withSession, withoutSession } = yield* makeSessionCookie

    const requireOwnOrigin = ({ headers }: Request) =>
      isPublicHost(headers) && isSameOrigin(headers) ? Effect.void : Effect.fail(new ForeignOrigin())

    const browserOf = (request: Request): Browser => ({
      address: toNodeResponse(request).address,
      userAgent: request.headers["user-agent"],
      replaced: sessionToken(request.headers)
    })

    yield* router.add(
      "POST",
      "/auth/sign-in",
      answering(
        Effect.fnUntraced(function* (request) {
          yield* requireOwnOrigin(request)
          const claimed = yield* Effect.fromResult(decode(yield* bodyOf(request), true))
          const { signedIn, token } = yield* sessions.signIn({ ...claimed, ...browserOf(request) })
          return withSession(token)(answer(facts(signedIn)))
        })
      )
    )

    yield* router.add(
      "POST",
      "/auth/sign-up",
      answering(
        Effect.fnUntraced(function* (request) {
          yield* requireOwnOrigin(request)
          const account = yield* Effect.fromResult(decodeAccount(yield* bodyOf(request), true))
          const { signedIn, token } = yield* sessions.signUp({ ...account, ...browserOf(request) })
          return withSession(token)(answer(facts(signedIn)))
        })
      )
    )

    yield* router.add(
      "POST",
      "/auth/sign-out",
      answering(
        Effect.fnUntraced(function* (request) {
          yield* requireOwnOrigin(request)
          const token = sessionToken(request.headers)
          if (token !== undefined) yield* sessions.signOut(token)
          return withoutSession(answer({ signedOut: true }))
        })
      )
    )

    yield* router.add(
      "GET",
      "/auth/session",
      answering(
        Effect.fnUntraced(function* (request) {
          const token = sessionToken(request.headers)
          if (token === undefined) return yield* new NotSignedIn()
          const signedIn = yield* sessions.find(token, [])
          return answer({ ...facts(signedIn), stores: yield* merchants.memberships(signedIn.merchantId) })
        })
      )
    )
  })
)
