import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email, Password } from "../../../src/domain/access/Merchants.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"

const toEmail = Schema.decodeSync(Email)
const toPassword = Schema.decodeSync(Password)

const times = <A>(n: number, one: Effect.Effect<A>) => Effect.replicateEffect(one, n, { concurrency: 32 })

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Sign-in limits", (it) => {
  it.effect("correct passwords do not count toward the limit of an address; wrong passwords do", () =>
    Effect.gen(function* () {
      const { signIn } = yield* Sessions
      const { email } = yield* makeMerchant()
      const address = "192.0.2.31"
      const attempt = (password: string, account: Email = email) =>
        Effect.map(
          Effect.result(
            signIn({
              email: account,
              password: toPassword(password),
              address,
              userAgent: undefined,
              replaced: undefined
            })
          ),
          Result.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "SignedIn" })
        )
      const wrong = Effect.suspend(() => attempt("not the password", toEmail(`${randomUUID()}@example.com`)))
      const right = yield* times(DEFAULT_LIMITS.signIn.address + 10, attempt(PASSWORD))
      assert.deepStrictEqual(new Set(right), new Set(["SignedIn"]))

      const before = yield* times(DEFAULT_LIMITS.signIn.address - 1, wrong)
      assert.deepStrictEqual(new Set(before), new Set(["SignInRefused"]))
      // A correct password takes the last slot of the address and returns it.
      assert.strictEqual(yield* attempt(PASSWORD), "SignedIn")
      assert.strictEqual(yield* wrong, "SignInRefused")
      assert.deepStrictEqual([yield* wrong, yield* attempt(PASSWORD)], ["TooManySignIns", "TooManySignIns"])
    })
  )

  it.effect("addresses of one IPv6 /64 network share a limit; other networks are unaffected", () =>
    Effect.gen(function* () {
      const { signIn } = yield* Sessions
      const { email } = yield* makeMerchant()
      const signInFrom = (address: string, password: string) =>
        Effect.map(
          Effect.result(
            signIn({ email, password: toPassword(password), address, userAgent: undefined, replaced: undefined })
          ),
          Result.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "SignedIn" })
        )
      const tags = yield* Effect.forEach(Array.from({ length: DEFAULT_LIMITS.signIn.pair + 1 }), (_, n) =>
        signInFrom(`2001:db8:0:1:${n + 1}::${n}`, "not the password")
      )
      assert.deepStrictEqual(
        [tags.filter((tag) => tag === "SignInRefused").length, tags.at(-1)],
        [DEFAULT_LIMITS.signIn.pair, "TooManySignIns"]
      )
      assert.strictEqual(yield* signInFrom("2001:db8:0:2::1", PASSWORD), "SignedIn")
    })
  )
})
