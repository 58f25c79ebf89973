import { Effect, Result, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PasswordAttempt, Email } from "../../domain/access/Merchants.ts"
import { Sessions, type SignInBusy, type SignInRefused, type TooManySignIns } from "../../domain/access/Sessions.ts"
import { toErrorReply } from "../ErrorTable.ts"
import { toNodeResponse } from "../server/NodeResponse.ts"
import { makeSessionCookie } from "../headers/Credentials.ts"
import { type ConsentTexts, consentTextsFor } from "./consentTexts.ts"
import { makeFormToken, makeVisitCookie, makeVisitSecret } from "./FormToken.ts"
import { redirect, respond } from "./Page.ts"
import { type RejectedSignIn, signInPage } from "./SignInPage.ts"

type Request = HttpServerRequest.HttpServerRequest

const decodeEmail = Schema.decodeResult(Email)
const decodePassword = Schema.decodeResult(PasswordAttempt)

/** Reason of a refused sign-in. */
const refusalOf = (error: SignInRefused | TooManySignIns | SignInBusy, texts: ConsentTexts["signIn"]) => {
  switch (error._tag) {
    case "SignInRefused":
      return texts.refused
    case "TooManySignIns":
      return texts.tooMany(error.retryAfter)
    case "SignInBusy":
      return texts.busy(error.retryAfter)
  }
}

/** Makes the sign-in step of an authorization request. */
export const makeSignIn = Effect.gen(function* () {
  const { signIn } = yield* Sessions
  const { sessionToken, withSession } = yield* makeSessionCookie
  const visit = yield* makeVisitCookie

  /** Renders the sign-in page and binds its form to the visit cookie, which is set if missing. */
  const showSignIn = ({ headers }: Request, clientName: string, rejected?: RejectedSignIn) => {
    const current = visit.read(headers)
    const secret = current ?? makeVisitSecret()
    const texts = consentTextsFor(headers)
    const page = respond(signInPage(texts, clientName, makeFormToken(secret), rejected), texts)
    return current === undefined ? visit.set(secret)(page) : page
  }

  /** Signs in with the form and redirects to `target`, or shows the page again with the reason. */
  const submitSignIn = Effect.fnUntraced(function* (
    request: Request,
    form: URLSearchParams,
    clientName: string,
    target: string
  ) {
    const { signIn: texts } = consentTextsFor(request.headers)
    const emailText = form.get("email") ?? ""
    const again = (rejected: Omit<RejectedSignIn, "email">) =>
      showSignIn(request, clientName, { email: emailText, ...rejected })
    const email = decodeEmail(emailText)
    const passwordText = form.get("password") ?? ""
    const password = decodePassword(passwordText)
    if (Result.isFailure(email) || Result.isFailure(password) || passwordText === "") {
      return again({
        status: 400,
        reasons: {
          email: Result.isFailure(email) ? texts.invalidEmail : undefined,
          password: Result.isFailure(password) || passwordText === "" ? texts.missingPassword : undefined
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
      onFailure: (error) => {
        const { headers = {}, status } = toErrorReply(error)
        return HttpServerResponse.setHeaders(again({ status, refusal: refusalOf(error, texts) }), headers)
      },
      onSuccess: ({ token }) => withSession(token)(redirect(target))
    })
  })

  return { showSignIn, submitSignIn, visit }
})
