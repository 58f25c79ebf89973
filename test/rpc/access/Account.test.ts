import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { Password } from "../../../src/domain/access/Merchants.ts"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentOf, callLine, clientOf, errorOf, freshMember, memberOf, post, sessionOf } from "../../support/rpc/Rpc.ts"
import { PASSWORD } from "../../support/rpc/Merchants.ts"

const toPassword = Schema.decodeSync(Password)

const NEXT = "another horse battery"

const change = ({ account }: Client, current: string, next = NEXT) =>
  account.changePassword({ current: Redacted.make(current), next: toPassword(next) })

/** The response status of a sign-in over HTTP. */
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

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Passwords of accounts", (it) => {
  it.effect("a password change ends the other sessions of the account and none of other accounts", () =>
    Effect.gen(function* () {
      const { client, email, storeId } = yield* freshMember()
      const otherMember = yield* memberOf(storeId)
      const others = [yield* clientOf(yield* sessionOf(email)), yield* clientOf(yield* sessionOf(email))]

      assert.deepStrictEqual(yield* change(client, PASSWORD), { sessionsEnded: 2 })
      for (const other of others) assert.strictEqual((yield* Effect.flip(other.account.get({})))._tag, "NotSignedIn")
      assert.lengthOf(yield* client.sessions.list({}), 1)
      yield* otherMember.client.account.get({})
      assert.strictEqual(yield* signInStatus(email, PASSWORD), 401)
      assert.strictEqual(yield* signInStatus(email, NEXT), 200)

      // A retry fails, because the current password has changed.
      assert.strictEqual((yield* Effect.flip(change(client, PASSWORD)))._tag, "WrongPassword")
    })
  )

  it.effect("wrong current passwords are throttled per session, and a correct one resets the count", () =>
    Effect.gen(function* () {
      const { client, email } = yield* freshMember()
      const wrong = Effect.map(Effect.flip(change(client, "a guess of somebody's")), ({ _tag }) => _tag)
      const tags = (n: number) => Effect.all(Array.from({ length: n }, () => wrong))

      // A correct password resets the count of failures.
      assert.deepStrictEqual(new Set(yield* tags(DEFAULT_LIMITS.signIn.pair - 1)), new Set(["WrongPassword"]))
      yield* change(client, PASSWORD, PASSWORD)

      const laterTags = yield* tags(DEFAULT_LIMITS.signIn.pair + 1)
      assert.deepStrictEqual(
        laterTags.slice(0, -1),
        Array.from({ length: DEFAULT_LIMITS.signIn.pair }, () => "WrongPassword")
      )
      assert.strictEqual(laterTags.at(-1), "TooManySignIns")
      assert.strictEqual((yield* Effect.flip(change(client, PASSWORD)))._tag, "TooManySignIns")
      // Another session of the account has its own count.
      const newSession = yield* clientOf(yield* sessionOf(email))
      yield* change(newSession, PASSWORD)
    })
  )

  it.effect("only one of several concurrent password changes succeeds", () =>
    Effect.gen(function* () {
      const { client, email } = yield* freshMember()
      const passwords = Array.from({ length: 6 }, (_, n) => `${NEXT} ${n}`)
      const successes = yield* Effect.forEach(passwords, (next) => Effect.isSuccess(change(client, PASSWORD, next)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        successes.filter((hasSucceeded) => hasSucceeded),
        1
      )
      assert.strictEqual(yield* signInStatus(email, passwords[successes.indexOf(true)] ?? ""), 200)
    })
  )

  it.effect("errors do not contain passwords, and agents cannot change them", () =>
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
      const responseTexts = refused.map(({ text }) => text).join("")
      for (const secret of ["a secret of mine", "a short one", NEXT]) assert.notInclude(responseTexts, secret)

      const agent = yield* agentOf(member)
      assert.strictEqual((yield* Effect.flip(change(agent.client, NEXT)))._tag, "AgentRefused")
    })
  )
})
