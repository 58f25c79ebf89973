import { Effect, Result, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PasswordAttempt, Email } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { toErrorReply } from "../ErrorTable.ts"
import { toNodeResponse } from "../server/NodeResponse.ts"
import { makeSessionCookie } from "../Credentials.ts"
import { formToken, makeVisit, newVisit } from "./FormToken.ts"
import { leadTo, respond } from "./Page.ts"
import { type Attempt, signInPage } from "./SignInPage.ts"

type Request = HttpServerRequest.HttpServerRequest

const emailOf = Schema.decodeResult(Email)
const passwordOf = Schema.decodeResult(PasswordAttempt)

export const makeSignIn = Effect.gen(function* () {
  const { signIn } = yield* Sessions
  const { sessionToken, withSession } = yield* makeSessionCookie
  const visit = yield* makeVisit

  /** The page, bound to a cookie that its browser has, or has from now on. */
  const askWhoItIs = ({ headers }: Request, clientName: string, attempt?: Attempt) => {
    const known = visit.read(headers)
    const secret = known ?? newVisit()
    const page = respond(signInPage(clientName, formToken(secret), attempt))
    return known === undefined ? visit.set(secret)(page) : page
  }

  /** Signs in the sender of the form and redirects; the page shows why a sign-in is refused. */
  const signInBy = Effect.fnUntraced(function* (
    request: Request,
    form: URLSearchParams,
    clientName: string,
    on: string
  ) {
    const typed = form.get("email") ?? ""
    const again = (attempt: Omit<Attempt, "email">) => askWhoItIs(request, clientName, { email: typed, ...attempt })
    const email = emailOf(typed)
    const given = form.get("password") ?? ""
    const password = passwordOf(given)
    if (Result.isFailure(email) || Result.isFailure(password) || given === "") {
      return again({
        status: 400,
        reasons: {
          email: Result.isFailure(email) ? "Give an e-mail address, as in ada@example.com" : undefined,
          password: Result.isFailure(password) || given === "" ? "Give your password" : undefined
        }
      })
    }
    const signingIn = signIn({
      email: email.success,
      password: password.success,
      address: toNodeResponse(request).address,
      userAgent: request.headers["user-agent"],
      replaced: sessionToken(request.headers)
    })
    return yield* Effect.match(signingIn, {
      onFailure: (refused) => {
        const { headers = {}, status } = toErrorReply(refused)
        return HttpServerResponse.setHeaders(again({ status, refusal: refused.message }), headers)
      },
      onSuccess: ({ token }) => withSession(token)(leadTo(on))
    })
  })

  return { askWhoItIs, signInBy, visit }
})
