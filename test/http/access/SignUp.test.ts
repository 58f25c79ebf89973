import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Email, Merchants, Password } from "../../../src/domain/access/Merchants.ts"
import { MAX_SIGN_UPS, Sessions } from "../../../src/domain/access/Sessions.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
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

layer(ApiTest, { excludeTestServices: true })("Developers sign up", (it) => {
  it.effect("an account is made and signed in, and signs in with its password from then on", () =>
    Effect.gen(function* () {
      const email = newEmail()
      const made = yield* post("sign-up", { ...account(` ${email.toUpperCase()} `), name: " Ada " })
      assert.strictEqual(made.status, 200)
      assert.deepInclude(made.json.data, { email, name: "Ada" })
      assert.match(made.cookie ?? "", /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      const base = yield* baseUrl
      const session = yield* Effect.promise(async () => {
        const response = await fetch(`${base}/auth/session`, { headers: { cookie: made.cookie?.split(";")[0] ?? "" } })
        return await response.json()
      })
      assert.deepStrictEqual(session, { data: { ...made.json.data, stores: [] } })
      assert.strictEqual((yield* post("sign-in", { email, password: PASSWORD })).status, 200)
    })
  )

  it.effect("an address that is taken stays whose it is, and of many that ask for it at once one gets it", () =>
    Effect.gen(function* () {
      const email = newEmail()
      const answers = yield* Effect.all(
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
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
      for (const { cookie, json, password, status } of answers) {
        assert.strictEqual((yield* post("sign-in", { email, password })).status, status === 200 ? 200 : 401)
        if (status === 200) continue
        assert.isNull(cookie)
        assert.deepStrictEqual(json, {
          error: `An account with the e-mail address ${email} already exists; sign in if it is yours`
        })
      }
    })
  )

  it.effect("another site's page is refused, and what is wrong is told line by line", () =>
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

  it.effect("who has signed up is no member until somebody who knows whose the address is gave them a password", () =>
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

  it.effect("so many are made from one address, however many come at once; others go on", () =>
    Effect.gen(function* () {
      const { signUp } = yield* Sessions
      const sql = yield* SqlClient.SqlClient
      const from = (address: string) =>
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
      const made = yield* Effect.all(
        Array.from({ length: MAX_SIGN_UPS + 10 }, () => Effect.result(from(address))),
        { concurrency: "unbounded" }
      )
      const refused = made.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 10 }, () => "TooManySignUps")
      )
      assert.lengthOf(yield* sql`select 1 from merchants`, before.length + MAX_SIGN_UPS)
      yield* from(randomUUID())
      const again = yield* Effect.flip(from(address))
      assert.strictEqual(again._tag, "TooManySignUps")
      if (again._tag === "TooManySignUps") assert.isAbove(again.retryAfter, 0)
    })
  )
})
