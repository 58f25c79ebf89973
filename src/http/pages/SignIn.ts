import type { HttpServerRequest } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { ClaimedPassword, Email } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { addressOf } from "../ClientAddress.ts"
import { replyOf } from "../ErrorTable.ts"
import { sessionToken, withSession } from "../SessionCookie.ts"
import { formToken, newVisit, visit } from "./FormToken.ts"
import { leadTo, respond } from "./Page.ts"
import { type Attempt, signInPage } from "./SignInPage.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The page, bound to a cookie that its browser has, or has from now on. */
export const askWhoItIs = ({ headers }: Request, clientName: string, attempt?: Attempt) => {
  const known = visit.read(headers)
  const secret = known ?? newVisit()
  const page = respond(signInPage(clientName, formToken(secret), attempt))
  return known === undefined ? visit.set(headers, secret)(page) : page
}

const emailOf = Schema.decodeEither(Email)
const passwordOf = Schema.decodeEither(ClaimedPassword)

/** Signs in who sent the form, and leads them on; what is refused is told on the page. */
export const makeSignIn = Effect.map(Sessions, ({ signIn }) =>
  Effect.fnUntraced(function* (request: Request, form: URLSearchParams, clientName: string, on: string) {
    const typed = form.get("email") ?? ""
    const again = (attempt: Omit<Attempt, "email">) => askWhoItIs(request, clientName, { email: typed, ...attempt })
    const email = emailOf(typed)
    const given = form.get("password") ?? ""
    const password = passwordOf(given)
    if (Either.isLeft(email) || Either.isLeft(password) || given === "") {
      return again({
        status: 400,
        reasons: {
          email: Either.isLeft(email) ? "Give an e-mail address, as in ada@example.com" : undefined,
          password: Either.isLeft(password) || given === "" ? "Give your password" : undefined
        }
      })
    }
    const signingIn = signIn({
      email: email.right,
      password: password.right,
      address: addressOf(request),
      userAgent: request.headers["user-agent"],
      replaced: sessionToken(request.headers)
    })
    return yield* Effect.match(signingIn, {
      onFailure: (refused) => again({ status: replyOf(refused).status, refusal: refused.message }),
      onSuccess: ({ token }) => withSession(request.headers, token)(leadTo(on))
    })
  })
)
