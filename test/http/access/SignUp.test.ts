import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email, Merchants, Password } from "../../../src/domain/access/Merchants.ts"
import { MAX_SIGN_UPS, Sessions } from "../../../src/domain/access/Sessions.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { IsolatedApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { performIn } from "../../support/data/Writes.ts"

const PASSWORD = "correct horse battery"

const toEmail = Schema.decodeSync(Email)
const toPassword = Schema.decodeSync(Password)

const newEmail = () => toEmail(`${randomUUID()}@example.com`)

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      })
      return { status: response.status, cookie: response.headers.get("set-cookie"), json: await response.json() }
    })
  )

const account = (email: string) => ({ email, name: "Ada", password: PASSWORD })

layer(IsolatedApiTest, { excludeTestServices: true })("Developer sign-up", (it) => {
  it.effect("signing up creates an account and a session, and its password signs in", () =>
    Effect.gen(function* () {
      const email = newEmail()
      const created = yield* post("sign-up", { ...account(` ${email.toUpperCase()} `), name: " Ada " })
      assert.strictEqual(created.status, 200)
      assert.deepInclude(created.json.data, { email, name: "Ada" })
      assert.match(created.cookie ?? "", /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      const base = yield* baseUrl
      const session = yield* Effect.promise(async () => {
        const response = await fetch(`${base}/auth/session`, {
          headers: { cookie: created.cookie?.split(";")[0] ?? "" }
        })
        return await response.json()
      })
      assert.deepStrictEqual(session, { data: { ...created.json.data, stores: [] } })
      assert.strictEqual((yield* post("sign-in", { email, password: PASSWORD })).status, 200)
    })
  )

  it.effect("one of several concurrent sign-ups with one address succeeds; the others return 409", () =>
    Effect.gen(function* () {
      const email = newEmail()
      const responses = yield* Effect.all(
        ["first password", "second password", "third password"].map((password) =>
          Effect.map(post("sign-up", { ...account(email), password }), ({ cookie, json, status }) => ({
            password,
            cookie,
            json,
            status
          }))
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(responses.map(({ status }) => status).toSorted(), [200, 409, 409])
      for (const { cookie, json, password, status } of responses) {
        assert.strictEqual((yield* post("sign-in", { email, password })).status, status === 200 ? 200 : 401)
        if (status === 200) continue
        assert.isNull(cookie)
        assert.deepStrictEqual(json, {
          error: `An account with the e-mail address ${email} already exists; sign in if it is yours`
        })
      }
    })
  )

  it.effect("rejects another origin with 403 and lists all invalid fields with 400", () =>
    Effect.gen(function* () {
      const email = newEmail()
      const foreign = yield* post("sign-up", account(email), { origin: "https://evil.example" })
      assert.strictEqual(foreign.status, 403)
      const wrong = yield* post("sign-up", { email: "ada", name: " ", password: "short", role: "owner" })
      assert.deepInclude(wrong, { status: 400, cookie: null })
      assert.sameMembers(wrong.json.issues, [
        "email: must be an e-mail address of at most 254 characters",
        "name: must be text of 1 to 100 characters",
        "password: must have 12 to 256 characters",
        "role: is not a field that can be set"
      ])
      assert.strictEqual((yield* post("sign-in", { email, password: PASSWORD })).status, 401)
    })
  )

  it.effect("an account cannot become a member until a password reset proves its address", () =>
    Effect.gen(function* () {
      const email = newEmail()
      yield* post("sign-up", account(email))
      const { find, join, resetPassword } = yield* Merchants
      const store = yield* makeStore()
      const perform = yield* performIn(store)
      assert.strictEqual((yield* Effect.flip(perform(join(store, email, "owner"))))._tag, "EmailUnproven")
      assert.strictEqual((yield* Effect.flip(find(email)))._tag, "EmailUnproven")
      yield* resetPassword(email, toPassword("another password"))
      assert.strictEqual(yield* perform(join(store, email, "owner")), yield* find(email))
    })
  )

  it.effect("creates at most MAX_SIGN_UPS accounts per address, even concurrently", () =>
    Effect.gen(function* () {
      const { signUp } = yield* Sessions
      const { sql } = yield* GlobalDatabase
      const signUpFrom = (address: string) =>
        signUp({
          email: newEmail(),
          name: "Ada",
          password: toPassword(PASSWORD),
          address,
          userAgent: undefined,
          replaced: undefined
        })
      const address = randomUUID()
      const before = yield* sql`select 1 from merchants`
      const created = yield* Effect.all(
        Array.from({ length: MAX_SIGN_UPS + 10 }, () => Effect.result(signUpFrom(address))),
        { concurrency: "unbounded" }
      )
      const refused = created.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 10 }, () => "TooManySignUps")
      )
      assert.lengthOf(yield* sql`select 1 from merchants`, before.length + MAX_SIGN_UPS)
      yield* signUpFrom(randomUUID())
      const rejected = yield* Effect.flip(signUpFrom(address))
      assert.strictEqual(rejected._tag, "TooManySignUps")
      if (rejected._tag === "TooManySignUps") assert.isAbove(rejected.retryAfter, 0)
    })
  )
})
