import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted, Schema } from "effect"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { Email, Merchants, Password } from "../../../src/domain/access/Merchants.ts"
import { Sessions, SIGN_IN_MINUTES } from "../../../src/domain/access/Sessions.ts"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { ServiceTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { performIn } from "../../support/data/Writes.ts"

const toEmail = Schema.decodeSync(Email)
const toPassword = Schema.decodeSync(Password)

interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

interface ReceivedResponse {
  readonly status: number
  readonly cookie: string | undefined
  /** NaN without the header. */
  readonly retryAfter: number
  readonly json: unknown
}

/** Sends a request with any `Host` and `Origin`, as a browser does. `fetch` does not allow this. */
const send = (method: "GET" | "POST", path: string, { body, headers = {} }: RequestOptions = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.callback<ReceivedResponse>((resume) => {
      const outgoing = request(
        `${base}${path}`,
        { method, headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers } },
        (response) => {
          let text = ""
          response.setEncoding("utf8")
          response.on("data", (part: string) => (text += part))
          response.on("end", () =>
            resume(
              Effect.sync(() => ({
                status: response.statusCode ?? 0,
                cookie: response.headers["set-cookie"]?.[0],
                retryAfter: Number(response.headers["retry-after"]),
                json: JSON.parse(text)
              }))
            )
          )
        }
      )
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  )

const signIn = (email: string, password: string, headers: Record<string, string> = {}) =>
  send("POST", "/auth/sign-in", { body: { email, password }, headers })

/** Request header with which a browser returns a cookie. */
const cookieHeader = (cookie: string | undefined) => ({ cookie: cookie?.split(";")[0] ?? "" })

layer(ServiceTest, { excludeTestServices: true, timeout: "60 seconds" })("Merchant sign-in", (it) => {
  it.effect("a session returns its merchant and their stores until it is signed out", () =>
    Effect.gen(function* () {
      const { email, id } = yield* makeMerchant()
      const store = yield* makeStore()
      const perform = yield* performIn(store)
      yield* Effect.flatMap(Merchants, ({ join }) => perform(join(store, email, "owner")))

      const signedIn = yield* signIn(` ${email.toUpperCase()} `, PASSWORD)
      assert.strictEqual(signedIn.status, 200)
      assert.deepStrictEqual(signedIn.json, { data: { merchantId: id, email, name: "Ada" } })
      assert.match(signedIn.cookie ?? "", /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)

      const headers = cookieHeader(signedIn.cookie)
      const session = yield* send("GET", "/auth/session", { headers })
      assert.deepStrictEqual(session.json, {
        data: {
          merchantId: id,
          email,
          name: "Ada",
          stores: [{ storeId: store, storeName: "A store", timezone: "UTC", role: "owner" }]
        }
      })

      yield* Effect.flatMap(Stores, (stores) => stores.delete(store))
      assert.deepStrictEqual((yield* send("GET", "/auth/session", { headers })).json, {
        data: { merchantId: id, email, name: "Ada", stores: [] }
      })

      const signedOut = yield* send("POST", "/auth/sign-out", { headers })
      assert.strictEqual(signedOut.status, 200)
      assert.match(signedOut.cookie ?? "", /^session=; Max-Age=0; /)
      assert.strictEqual((yield* send("GET", "/auth/session", { headers })).status, 401)
      assert.strictEqual((yield* send("POST", "/auth/sign-out", { headers })).status, 200)
    })
  )

  it.effect("rejects requests of another site with 403 and a body that is not JSON with 400", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" }
      ]) {
        const refused = yield* signIn(email, PASSWORD, headers)
        assert.strictEqual(refused.status, 403, JSON.stringify(headers))
        assert.isUndefined(refused.cookie)
        assert.strictEqual((yield* send("POST", "/auth/sign-out", { headers })).status, 403)
      }
      const asForm = yield* send("POST", "/auth/sign-in", {
        body: { email, password: PASSWORD },
        headers: { "content-type": "text/plain" }
      })
      assert.strictEqual(asForm.status, 400)
    })
  )

  it.effect("a wrong password and an unknown account return the same 401; a malformed body returns 400", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      const wrong = yield* signIn(email, "not the password")
      assert.strictEqual(wrong.status, 401)
      assert.isUndefined(wrong.cookie)
      assert.deepStrictEqual(yield* signIn(`${randomUUID()}@example.com`, "not the password"), wrong)
      for (const body of [{}, { email, password: 7 }, { email: "nobody", password: PASSWORD }, { email }, []]) {
        assert.strictEqual((yield* send("POST", "/auth/sign-in", { body })).status, 400, JSON.stringify(body))
      }
      const large = yield* send("POST", "/auth/sign-in", { body: { email, password: "x".repeat(20_000) } })
      assert.strictEqual(large.status, 400)
    })
  )

  it.effect("a sign-in ends the browser's previous session, and a password reset ends all sessions", () =>
    Effect.gen(function* () {
      const { email, id } = yield* makeMerchant()
      const { list } = yield* Sessions
      const first = cookieHeader((yield* signIn(email, PASSWORD)).cookie)
      const other = cookieHeader((yield* signIn(email, PASSWORD, { "user-agent": "Other" })).cookie)
      const second = cookieHeader((yield* signIn(email, PASSWORD, first)).cookie)
      assert.strictEqual((yield* send("GET", "/auth/session", { headers: first })).status, 401)
      assert.deepStrictEqual(
        (yield* list(id)).map(({ userAgent }) => userAgent),
        [null, "Other"]
      )

      yield* Effect.flatMap(Merchants, (merchants) => merchants.resetPassword(email, toPassword("another password")))
      for (const headers of [other, second]) {
        assert.strictEqual((yield* send("GET", "/auth/session", { headers })).status, 401)
      }
      assert.strictEqual((yield* signIn(email, PASSWORD)).status, 401)
      assert.strictEqual((yield* signIn(email, "another password")).status, 200)
    })
  )

  it.effect("concurrent wrong passwords beyond the limit return 429, and so does the correct one afterwards", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      const other = yield* makeMerchant()
      const responses = yield* Effect.all(
        Array.from({ length: 64 }, () => signIn(email, "not the password")),
        { concurrency: "unbounded" }
      )
      const statuses = responses.map(({ status }) => status)
      assert.lengthOf(
        statuses.filter((status) => status === 401),
        DEFAULT_LIMITS.signIn.pair
      )
      assert.lengthOf(
        statuses.filter((status) => status === 429),
        64 - DEFAULT_LIMITS.signIn.pair
      )
      const limited = yield* signIn(email, PASSWORD)
      assert.strictEqual(limited.status, 429)
      assert.isAtLeast(limited.retryAfter, 1)
      assert.isAtMost(limited.retryAfter, SIGN_IN_MINUTES * 60)
      assert.strictEqual((yield* signIn(other.email, PASSWORD)).status, 200)
      // The limit applies per address, so that an attacker cannot lock the owner out.
      const { signIn: signInFrom } = yield* Sessions
      const attempt = { email, userAgent: undefined, replaced: undefined }
      yield* signInFrom({ ...attempt, password: toPassword(PASSWORD), address: "192.0.2.7" })
    })
  )

  it.effect("a session ends after 24 hours without use or at its maximum age; use extends it", () =>
    Effect.gen(function* () {
      const { sql } = yield* GlobalDatabase
      const { email, id } = yield* makeMerchant()
      const { purge } = yield* Sessions
      const headers = cookieHeader((yield* signIn(email, PASSWORD)).cookie)
      const get = send("GET", "/auth/session", { headers })
      const ageSessions = (interval: string) => sql`
        update sessions set
          seen_at = seen_at - ${interval}::interval, ends_at = ends_at - ${interval}::interval,
          last_end = last_end - ${interval}::interval
        where merchant_id = ${id}
      `
      for (let day = 0; day < 31; day++) {
        assert.strictEqual((yield* get).status, 200)
        yield* ageSessions("23 hours")
      }
      yield* ageSessions("24 hours")
      assert.strictEqual((yield* get).status, 401)
      const again = cookieHeader((yield* signIn(email, PASSWORD)).cookie)
      assert.strictEqual((yield* send("GET", "/auth/session", { headers: again })).status, 200)
      yield* ageSessions("24 hours")
      assert.strictEqual((yield* send("GET", "/auth/session", { headers: again })).status, 401)
      assert.isAtLeast(yield* purge, 2)
      assert.strictEqual(yield* purge, 0)
    })
  )

  it.effect("a store keeps at least one owner, even if two leave concurrently", () =>
    Effect.gen(function* () {
      const { join, leave, members } = yield* Merchants
      const [a, b] = [yield* makeMerchant(), yield* makeMerchant()]
      const store = yield* makeStore()
      const perform = yield* performIn(store)
      assert.strictEqual((yield* Effect.flip(perform(join(store, a.email, "staff"))))._tag, "LastOwner")
      yield* perform(join(store, a.email, "owner"))
      yield* perform(join(store, b.email, "owner"))
      const left = yield* Effect.forEach([a.id, b.id], (id) => Effect.result(perform(leave(store, id))), {
        concurrency: "unbounded"
      })
      assert.sameMembers(
        left.map(({ _tag }) => _tag),
        ["Failure", "Success"]
      )
      const [last] = yield* members(store)
      assert.strictEqual(last?.role, "owner")
      assert.strictEqual((yield* Effect.flip(perform(join(store, last?.email ?? a.email, "staff"))))._tag, "LastOwner")
    })
  )

  it.effect("stores only the argon2id hash of a password and the hash of a session token", () =>
    Effect.gen(function* () {
      const { sql } = yield* GlobalDatabase
      const { email, id } = yield* makeMerchant()
      const token = cookieHeader((yield* signIn(email, PASSWORD)).cookie).cookie.slice("session=".length)
      const rows = yield* sql`select password_hash from merchants where id = ${id}`
      assert.match(String(rows[0]?.["password_hash"]), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      const stored = yield* sql`select t::text as text from sessions t where merchant_id = ${id}`
      assert.notInclude(JSON.stringify(stored), token)
      assert.notInclude(JSON.stringify(stored), Buffer.from(token).toString("hex"))
      assert.strictEqual(String(toPassword(PASSWORD)), "<redacted>")
      assert.strictEqual(Redacted.value(toPassword(PASSWORD)), PASSWORD)
    })
  )

  it.effect("rejecting an unknown account takes about as long as rejecting a known one", () =>
    Effect.gen(function* () {
      const { signIn } = yield* Sessions
      const { email } = yield* makeMerchant()
      const cost = (account: Email) =>
        Effect.gen(function* () {
          const attempt = { email: account, address: randomUUID(), userAgent: undefined, replaced: undefined }
          const refused = Effect.flip(signIn({ ...attempt, password: toPassword("not the password") }))
          const [duration, { _tag }] = yield* Effect.timed(refused)
          assert.strictEqual(_tag, "SignInRefused")
          return Duration.toMillis(duration)
        })
      // Alternates both accounts so that other load affects each, and compares the minimum durations.
      const costs = yield* Effect.replicateEffect(
        Effect.all([cost(email), cost(toEmail(`${randomUUID()}@example.com`))]),
        12
      )
      const known = Math.min(...costs.map(([millis]) => millis))
      const unknown = Math.min(...costs.map(([, millis]) => millis))
      assert.isAtLeast(unknown, known / 2)
      assert.isAtMost(unknown, known * 2)
    })
  )
})
