import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { Password } from "../../../src/domain/access/Merchants.ts"
import { SIGN_IN_LIMITS } from "../../../src/domain/access/Sessions.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentOf, callLine, clientOf, errorOf, freshMember, memberOf, post, sessionOf } from "../../support/rpc/Rpc.ts"
import { PASSWORD } from "../../support/rpc/Merchants.ts"

const toPassword = Schema.decodeSync(Password)

const NEXT = "another horse battery"

const change = ({ account }: Client, current: string, next = NEXT) =>
  account.changePassword({ current: Redacted.make(current), next: toPassword(next) })

/** What signing in over HTTP is answered with. */
const signInStatus = (email: string, password: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/auth/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, password })
      })
      return response.status
    })
  )

layer(ApiTest, { timeout: "60 seconds" })("an account", (it) => {
  it.effect("another password ends the other sessions of its account, and no one else's", () =>
    Effect.gen(function* () {
      const { client, email, storeId } = yield* freshMember()
      const neighbour = yield* memberOf(storeId)
      const others = [yield* clientOf(yield* sessionOf(email)), yield* clientOf(yield* sessionOf(email))]

      assert.deepStrictEqual(yield* change(client, PASSWORD), { sessionsEnded: 2 })
      for (const other of others) assert.strictEqual((yield* Effect.flip(other.account.get({})))._tag, "NotSignedIn")
      assert.lengthOf(yield* client.sessions.list({}), 1)
      yield* neighbour.client.account.get({})
      assert.strictEqual(yield* signInStatus(email, PASSWORD), 401)
      assert.strictEqual(yield* signInStatus(email, NEXT), 200)

      // Repeated, as when no answer came, it is refused: the password is another by now.
      assert.strictEqual((yield* Effect.flip(change(client, PASSWORD)))._tag, "WrongPassword")
    })
  )

  it.effect("a password cannot be guessed at by who holds a session", () =>
    Effect.gen(function* () {
      const { client, email } = yield* freshMember()
      const wrong = Effect.map(Effect.flip(change(client, "a guess of somebody's")), ({ _tag }) => _tag)
      const tags = (n: number) => Effect.all(Array.from({ length: n }, () => wrong))

      // What was right takes the failures before it back.
      assert.deepStrictEqual(new Set(yield* tags(SIGN_IN_LIMITS.pair - 1)), new Set(["WrongPassword"]))
      yield* change(client, PASSWORD, PASSWORD)

      const all = yield* tags(SIGN_IN_LIMITS.pair + 1)
      assert.deepStrictEqual(
        all.slice(0, -1),
        Array.from({ length: SIGN_IN_LIMITS.pair }, () => "WrongPassword")
      )
      assert.strictEqual(all.at(-1), "TooManySignIns")
      assert.strictEqual((yield* Effect.flip(change(client, PASSWORD)))._tag, "TooManySignIns")
      // Whose account it is comes in still, and is heard.
      const own = yield* clientOf(yield* sessionOf(email))
      yield* change(own, PASSWORD)
    })
  )

  it.effect("of many who change it at once one does", () =>
    Effect.gen(function* () {
      const { client, email } = yield* freshMember()
      const passwords = Array.from({ length: 6 }, (_, n) => `${NEXT} ${n}`)
      const done = yield* Effect.forEach(passwords, (next) => Effect.isSuccess(change(client, PASSWORD, next)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        done.filter((isDone) => isDone),
        1
      )
      assert.strictEqual(yield* signInStatus(email, passwords[done.indexOf(true)] ?? ""), 200)
    })
  )

  it.effect("passwords are in no refusal, and no agent's business", () =>
    Effect.gen(function* () {
      const { cookie, ...member } = yield* freshMember()
      const call = (payload: unknown) => post(callLine("account.changePassword", payload), { cookie })
      const refused = yield* Effect.forEach(
        [
          { current: "a secret of mine", next: "a short one" },
          { current: "a secret of mine", next: ["a secret of mine"] },
          { current: "a secret of mine".repeat(100), next: NEXT },
          { current: "a secret of mine", next: NEXT }
        ],
        call
      )
      assert.deepStrictEqual(
        refused.map(({ text }) => errorOf(text)?.["_tag"]),
        ["BadRequest", "BadRequest", "BadRequest", "WrongPassword"]
      )
      assert.deepStrictEqual(errorOf(refused[0]?.text ?? "")?.["issues"], ["next: must have 12 to 256 characters"])
      yield* change(member.client, PASSWORD)
      const told = refused.map(({ text }) => text).join("")
      for (const secret of ["a secret of mine", "a short one", NEXT]) assert.notInclude(told, secret)

      const agent = yield* agentOf(member)
      assert.strictEqual((yield* Effect.flip(change(agent.client, NEXT)))._tag, "AgentRefused")
    })
  )
})
