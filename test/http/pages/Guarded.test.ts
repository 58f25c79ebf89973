import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes, randomUUID } from "node:crypto"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { SIGN_IN_LIMITS } from "../../../src/domain/access/Sessions.ts"
import { ApiTest, makeStore } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { authorizePath, fieldsOf, makeAskingApp, makeVisitor, type Seen, wordsOf } from "../../support/oauth/Visitor.ts"

const isGuarded = ({ headers, text }: Seen, formTargets: string) => {
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

/** A merchant of one store, who is asked whether an app may in. */
const scene = Effect.gen(function* () {
  const store = yield* makeStore()
  const merchant = yield* makeMerchant([store])
  const appId = yield* makeAskingApp()
  const path = authorizePath(appId)
  const isInstalled = Effect.flatMap(Installations, ({ list }) =>
    Effect.map(list({ appId: Option.some(appId), storeId: Option.some(store), limit: 1 }), ({ length }) => length > 0)
  )
  return { store, merchant, path, isInstalled, visitor: yield* makeVisitor }
})

layer(ApiTest)("the pages of the authorization server", (it) => {
  it.effect("stand in no frame, run nothing, are kept nowhere, and send their forms where they should", () =>
    Effect.gen(function* () {
      const { merchant, path, visitor } = yield* scene
      isGuarded(yield* visitor.open("/oauth/authorize"), "'self'")
      isGuarded(yield* visitor.open(`${path}&scope=nothing`), "'self'")
      const signIn = yield* visitor.open(path)
      isGuarded(signIn, "'self'")
      isGuarded(yield* visitor.press(path, signIn, "sign-in", { email: "", password: "" }), "'self'")
      isGuarded(yield* visitor.send(path, { intent: "sign-in" }), "'self'")
      isGuarded(yield* visitor.signIn(path, merchant.email), "'self' https:")
      isGuarded(yield* visitor.open(`${path}&store_id=${randomUUID()}`), "'self' https:")
      const local = authorizePath(yield* makeAskingApp({ redirectUris: ["http://127.0.0.1/"] }), {
        redirect_uri: "http://127.0.0.1:1234/"
      })
      const consent = yield* visitor.open(local)
      isGuarded(consent, "'self' https: http:")
      assert.include(wordsOf(consent), "returns you to a program on this computer, 127.0.0.1:1234")
    })
  )

  it.effect("a form counts from where it was made alone: another site, browser, session, or nowhere is refused", () =>
    Effect.gen(function* () {
      const { isInstalled, merchant, path, visitor } = yield* scene
      const other = yield* makeVisitor
      const others = fieldsOf(yield* other.signIn(path, (yield* makeMerchant()).email))
      const { token = "", ...shown } = fieldsOf(yield* visitor.signIn(path, merchant.email))
      const rest = { ...shown, intent: "allow" }
      const fields = { ...rest, token }
      for (const forged of [
        rest,
        { ...rest, token: "" },
        { ...rest, token: token.slice(1) },
        { ...rest, token: randomBytes(32).toString("base64url") },
        { ...rest, token: others["token"] ?? "" },
        { ...rest, intent: "deny" },
        { ...rest, intent: "sign-out" }
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
        { ...rest, token, intent: "" }
      ]) {
        assert.strictEqual((yield* visitor.send(path, broken)).status, 400)
      }
      const asJson = yield* visitor.send(path, fields, { "content-type": "application/json" })
      assert.strictEqual(asJson.status, 400)
      // Agreed to is by POST alone.
      const query = new URLSearchParams(fields).toString()
      assert.strictEqual((yield* visitor.open(`${path}&${query}`)).status, 200)
      assert.isFalse(yield* isInstalled)
      assert.strictEqual((yield* visitor.send(path, fields)).status, 303)
      assert.isTrue(yield* isInstalled)
    })
  )

  it.effect("nobody is signed in by another site's form: it lacks what the browser was given with the page", () =>
    Effect.gen(function* () {
      const { merchant, path, visitor } = yield* scene
      const typed = { email: merchant.email, password: PASSWORD, intent: "sign-in" }
      const attackers = fieldsOf(yield* (yield* makeVisitor).open(path))
      assert.strictEqual((yield* visitor.send(path, { ...attackers, ...typed })).status, 403)
      const page = yield* visitor.open(path)
      assert.match(String(page.headers["set-cookie"]), /^visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.strictEqual((yield* visitor.send(path, { ...attackers, ...typed })).status, 403)
      assert.isUndefined(visitor.cookies.get("session"))
      // The page in two tabs: what the first was given is good in both.
      const second = yield* visitor.open(path)
      assert.deepStrictEqual(fieldsOf(second), fieldsOf(page))
      assert.strictEqual((yield* visitor.send(path, { ...fieldsOf(page), ...typed })).status, 303)
    })
  )

  it.effect("a session that was there before is not the one that somebody signs in to, and has ended then", () =>
    Effect.gen(function* () {
      const { merchant, path, visitor } = yield* scene
      const planted = randomBytes(32).toString("base64url")
      visitor.cookies.set("session", planted)
      const form = yield* visitor.open(path)
      const typed = { email: merchant.email, password: PASSWORD }
      yield* visitor.press(path, form, "sign-in", typed)
      const first = visitor.cookies.get("session") ?? ""
      assert.notStrictEqual(first, planted)
      const attacker = yield* makeVisitor
      const isShut = Effect.fn(function* (session: string) {
        attacker.cookies.set("session", session)
        assert.include(wordsOf(yield* attacker.open(path)), "Sign in")
      })
      yield* isShut(planted)
      // In another tab once more.
      yield* visitor.press(path, form, "sign-in", typed)
      const second = visitor.cookies.get("session") ?? ""
      yield* isShut(first)

      const page = yield* visitor.open(path)
      const out = yield* visitor.press(path, page, "sign-out")
      assert.deepStrictEqual([out.status, out.location], [303, path])
      assert.isUndefined(visitor.cookies.get("session"))
      yield* isShut(second)
      // What was agreed to in the session that has ended is not done, now or once somebody is signed in.
      const late = yield* visitor.press(path, page, "allow")
      assert.deepStrictEqual([late.status, late.location], [303, path])
      yield* visitor.signIn(path, merchant.email)
      assert.strictEqual((yield* visitor.press(path, page, "allow")).status, 403)
    })
  )

  it.effect("a wrong password and an unknown account are answered by the same page; what is too often is told", () =>
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
      const nonsense = yield* visitor.press(path, page, "sign-in", { email: "ada", password: "" })
      assert.strictEqual(nonsense.status, 400)
      for (const field of ["email", "password"]) {
        assert.match(nonsense.text, new RegExp(`aria-describedby="${field}-reason"[^]*id="${field}-reason"`))
      }
      for (let n = 1; n < SIGN_IN_LIMITS.pair; n++) yield* attempt(merchant.email)
      const shut = yield* visitor.press(path, page, "sign-in", { email: merchant.email, password: PASSWORD })
      assert.strictEqual(shut.status, 429)
      assert.match(wordsOf(shut), /Too many failed sign-ins; wait 15 minutes/)
      assert.match(String(shut.headers["retry-after"]), /^[1-9]\d{0,2}$/)
    })
  )

  it.effect("a redirect URI whose port there is not is refused on a page, whether or not somebody is signed in", () =>
    Effect.gen(function* () {
      const app = yield* makeAskingApp({ redirectUris: ["http://127.0.0.1/cb"] })
      const asked = (redirect_uri: string) => authorizePath(app, { redirect_uri })
      const { email } = yield* makeMerchant([yield* makeStore()])
      const visitor = yield* makeVisitor
      assert.strictEqual((yield* visitor.open(asked("http://127.0.0.1:99999/cb"))).status, 400)
      assert.strictEqual((yield* visitor.signIn(asked("http://127.0.0.1:4711/cb"), email)).status, 200)
      const refused = yield* visitor.open(asked("http://127.0.0.1:99999/cb"))
      assert.strictEqual(refused.status, 400)
      assert.include(wordsOf(refused), "redirect_uri must exactly match")
    })
  )

  it.effect("what breaks is told on a page, by the request's id alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { merchant, path, visitor } = yield* scene
      yield* visitor.signIn(path, merchant.email)
      yield* Effect.acquireRelease(sql`alter table members rename to others`, () =>
        Effect.orDie(sql`alter table others rename to members`)
      )
      const page = yield* visitor.open(path)
      assert.strictEqual(page.status, 500)
      isGuarded(page, "'self'")
      assert.include(wordsOf(page), `request ${String(page.headers["x-request-id"])}`)
      assert.notMatch(wordsOf(page), /members|select/)
    }).pipe(Effect.scoped)
  )
})
