import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes, randomUUID } from "node:crypto"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import { IsolatedApiTest, makeStore } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import {
  authorizePath,
  fieldsOf,
  makeOauthApp,
  makeBrowser,
  type BrowserPage,
  visibleText
} from "../../support/oauth/Browser.ts"

const assertGuarded = ({ headers, text }: BrowserPage, formTargets: string) => {
  const policy = String(headers["content-security-policy"])
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action [^;]+; base-uri 'none'; frame-ancestors 'none'$/
  )
  assert.include(policy, `form-action ${formTargets};`)
  assert.strictEqual(headers["x-frame-options"], "DENY")
  assert.strictEqual(headers["x-content-type-options"], "nosniff")
  assert.strictEqual(headers["referrer-policy"], "same-origin")
  assert.strictEqual(headers["cache-control"], "no-store")
  assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
  assert.isUndefined(headers["access-control-allow-origin"])
  assert.notMatch(text, /<script|\son\w+=|style=|<img|<link/)
}

/** A merchant of one store, and the authorization request of an app. */
const scene = Effect.gen(function* () {
  const store = yield* makeStore()
  const merchant = yield* makeMerchant([store])
  const appId = yield* makeOauthApp()
  const path = authorizePath(appId)
  const isInstalled = Effect.flatMap(Installations, ({ list }) =>
    Effect.map(list({ appId: Option.some(appId), storeId: Option.some(store), limit: 1 }), ({ length }) => length > 0)
  )
  return { store, merchant, path, isInstalled, visitor: yield* makeBrowser }
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })(
  "Security of the authorization pages",
  (it) => {
    it.effect("pages cannot be framed, run no scripts, are not cached and restrict form targets", () =>
      Effect.gen(function* () {
        const { merchant, path, visitor } = yield* scene
        assertGuarded(yield* visitor.open("/oauth/authorize"), "'self'")
        assertGuarded(yield* visitor.open(`${path}&scope=nothing`), "'self'")
        const signIn = yield* visitor.open(path)
        assertGuarded(signIn, "'self'")
        assertGuarded(yield* visitor.press(path, signIn, "sign-in", { email: "", password: "" }), "'self'")
        assertGuarded(yield* visitor.send(path, { intent: "sign-in" }), "'self'")
        assertGuarded(yield* visitor.signIn(path, merchant.email), "'self' https:")
        assertGuarded(yield* visitor.open(`${path}&store_id=${randomUUID()}`), "'self' https:")
        const local = authorizePath(yield* makeOauthApp({ redirectUris: ["http://127.0.0.1/"] }), {
          redirect_uri: "http://127.0.0.1:1234/"
        })
        const consent = yield* visitor.open(local)
        assertGuarded(consent, "'self' https: http:")
        assert.include(visibleText(consent), "returns you to a program on this computer, 127.0.0.1:1234")
      })
    )

    it.effect("a form with a forged token, or from another site or browser, returns 403", () =>
      Effect.gen(function* () {
        const { isInstalled, merchant, path, visitor } = yield* scene
        const other = yield* makeBrowser
        const foreignFields = fieldsOf(yield* other.signIn(path, (yield* makeMerchant()).email))
        const { token = "", ...otherFields } = fieldsOf(yield* visitor.signIn(path, merchant.email))
        const withoutToken = { ...otherFields, intent: "allow" }
        const fields = { ...withoutToken, token }
        for (const forged of [
          withoutToken,
          { ...withoutToken, token: "" },
          { ...withoutToken, token: token.slice(1) },
          { ...withoutToken, token: randomBytes(32).toString("base64url") },
          { ...withoutToken, token: foreignFields["token"] ?? "" },
          { ...withoutToken, intent: "deny" },
          { ...withoutToken, intent: "sign-out" }
        ]) {
          const refused = yield* visitor.send(path, forged)
          assert.deepStrictEqual([refused.status, refused.location], [403, ""], JSON.stringify(forged))
        }
        for (const headers of [
          { origin: "https://evil.example" },
          { origin: "null" },
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" }
        ]) {
          const refused = yield* visitor.send(path, fields, headers)
          assert.deepStrictEqual([refused.status, refused.location], [403, ""], JSON.stringify(headers))
        }
        for (const broken of [
          { ...fields, intent: "else" },
          { ...withoutToken, token, intent: "" }
        ]) {
          assert.strictEqual((yield* visitor.send(path, broken)).status, 400)
        }
        const asJson = yield* visitor.send(path, fields, { "content-type": "application/json" })
        assert.strictEqual(asJson.status, 400)
        // Only POST gives consent.
        const query = new URLSearchParams(fields).toString()
        assert.strictEqual((yield* visitor.open(`${path}&${query}`)).status, 200)
        assert.isFalse(yield* isInstalled)
        assert.strictEqual((yield* visitor.send(path, fields)).status, 303)
        assert.isTrue(yield* isInstalled)
      })
    )

    it.effect("a sign-in form with the token of another browser returns 403", () =>
      Effect.gen(function* () {
        const { merchant, path, visitor } = yield* scene
        const signInFields = { email: merchant.email, password: PASSWORD, intent: "sign-in" }
        const attackerFields = fieldsOf(yield* (yield* makeBrowser).open(path))
        assert.strictEqual((yield* visitor.send(path, { ...attackerFields, ...signInFields })).status, 403)
        const page = yield* visitor.open(path)
        assert.match(String(page.headers["set-cookie"]), /^visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.strictEqual((yield* visitor.send(path, { ...attackerFields, ...signInFields })).status, 403)
        assert.isUndefined(visitor.cookies.get("session"))
        // The page is open in two tabs, which share one token.
        const second = yield* visitor.open(path)
        assert.deepStrictEqual(fieldsOf(second), fieldsOf(page))
        assert.strictEqual((yield* visitor.send(path, { ...fieldsOf(page), ...signInFields })).status, 303)
      })
    )

    it.effect("a sign-in replaces and ends the previous session; a sign-out invalidates its forms", () =>
      Effect.gen(function* () {
        const { merchant, path, visitor } = yield* scene
        const planted = randomBytes(32).toString("base64url")
        visitor.cookies.set("session", planted)
        const form = yield* visitor.open(path)
        const signInFields = { email: merchant.email, password: PASSWORD }
        yield* visitor.press(path, form, "sign-in", signInFields)
        const first = visitor.cookies.get("session") ?? ""
        assert.notStrictEqual(first, planted)
        const attacker = yield* makeBrowser
        const assertEnded = Effect.fn(function* (session: string) {
          attacker.cookies.set("session", session)
          assert.include(visibleText(yield* attacker.open(path)), "Sign in")
        })
        yield* assertEnded(planted)
        // Signs in again in another tab.
        yield* visitor.press(path, form, "sign-in", signInFields)
        const second = visitor.cookies.get("session") ?? ""
        yield* assertEnded(first)

        const page = yield* visitor.open(path)
        const signedOut = yield* visitor.press(path, page, "sign-out")
        assert.deepStrictEqual([signedOut.status, signedOut.location], [303, path])
        assert.isUndefined(visitor.cookies.get("session"))
        yield* assertEnded(second)
        // A form of the ended session gives no consent, neither now nor after another sign-in.
        const late = yield* visitor.press(path, page, "allow")
        assert.deepStrictEqual([late.status, late.location], [303, path])
        yield* visitor.signIn(path, merchant.email)
        assert.strictEqual((yield* visitor.press(path, page, "allow")).status, 403)
      })
    )

    it.effect("a wrong password and an unknown account return the same page; too many failures return 429", () =>
      Effect.gen(function* () {
        const { merchant, path, visitor } = yield* scene
        const page = yield* visitor.open(path)
        const attempt = (email: string) => visitor.press(path, page, "sign-in", { email, password: "not the password" })
        const stranger = `${randomUUID()}@example.com`
        const wrong = yield* attempt(merchant.email)
        const unknown = yield* attempt(stranger)
        assert.deepStrictEqual([wrong.status, unknown.status], [401, 401])
        assert.strictEqual(unknown.text.replace(stranger, merchant.email), wrong.text)
        assert.match(wrong.text, /role="alert"[^>]*>The e-mail address or the password is wrong/)
        assert.deepStrictEqual(
          { ...wrong.headers, date: "", "x-request-id": "" },
          { ...unknown.headers, date: "", "x-request-id": "", "content-length": wrong.headers["content-length"] }
        )
        const malformed = yield* visitor.press(path, page, "sign-in", { email: "ada", password: "" })
        assert.strictEqual(malformed.status, 400)
        for (const field of ["email", "password"]) {
          assert.match(malformed.text, new RegExp(`aria-describedby="${field}-reason"[^]*id="${field}-reason"`))
        }
        for (let n = 1; n < DEFAULT_LIMITS.signIn.pair; n++) yield* attempt(merchant.email)
        const limited = yield* visitor.press(path, page, "sign-in", { email: merchant.email, password: PASSWORD })
        assert.strictEqual(limited.status, 429)
        assert.match(visibleText(limited), /Too many failed sign-ins; wait 15 minutes/)
        assert.match(String(limited.headers["retry-after"]), /^[1-9]\d{0,2}$/)
      })
    )

    it.effect("an unexpected failure shows a page with the request id and no details", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { merchant, path, visitor } = yield* scene
        yield* visitor.signIn(path, merchant.email)
        yield* Effect.acquireRelease(sql`alter table members rename to others`, () =>
          Effect.orDie(sql`alter table others rename to members`)
        )
        const page = yield* visitor.open(path)
        assert.strictEqual(page.status, 500)
        assertGuarded(page, "'self'")
        assert.include(visibleText(page), `request ${String(page.headers["x-request-id"])}`)
        assert.notMatch(visibleText(page), /members|select/)
      }).pipe(Effect.scoped)
    )
  }
)
