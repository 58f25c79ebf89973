import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeClient } from "../support/http/Api.ts"
import { cli, jsonOutput, createStore } from "../support/process/Cli.ts"
import { makeMigratedDatabase, startServer } from "../support/process/Process.ts"

it.live("a merchant joins a store as owner and signs in with the printed password until it is reset", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { storeId } = yield* createStore(url)
    const email = "ada@example.com"
    const Secret = {
      email: Schema.Literal(email),
      password: Schema.String.pipe(Schema.check(Schema.isBetweenLength(20, 20)))
    }
    const Created = Schema.Struct({ merchantId: Schema.String.check(Schema.isUUID()), ...Secret })
    const created = yield* jsonOutput(
      Created,
      url,
      "merchants",
      "create",
      "--email",
      "Ada@Example.com",
      "--name",
      "Ada"
    )
    const duplicate = yield* cli(url, "merchants", "create", "--email", email, "--name", "Ada")
    assert.strictEqual(duplicate.code, 1)
    assert.include(duplicate.stderr, "An account with the e-mail address ada@example.com already exists")

    const Joined = Schema.Struct({
      merchantId: Schema.String.check(Schema.isUUID()),
      storeId: Schema.String.check(Schema.isUUID()),
      role: Schema.Literal("owner")
    })
    const joined = yield* jsonOutput(Joined, url, "merchants", "join", "--email", email, "--store", storeId)
    assert.deepStrictEqual(joined, { merchantId: created.merchantId, storeId, role: "owner" })
    const listed = yield* cli(url, "merchants", "list", "--store", storeId)
    const [header = "", row = ""] = listed.stdout.split("\n")
    assert.match(header, /^MERCHANT ID {27}NAME {2}EMAIL {12}ROLE {3}CREATED AT$/)
    assert.include(row, `${created.merchantId}  Ada   ada@example.com  owner  `)

    const { base } = yield* startServer({ DATABASE_URL: url })
    const { post } = makeClient(base)
    const signIn = (password: string) => post(`${base}/auth/sign-in`, { email, password })
    assert.strictEqual((yield* signIn(created.password)).status, 200)
    const Reset = Schema.Struct({ ...Secret, sessionsEnded: Schema.Literal(1) })
    const reset = yield* jsonOutput(Reset, url, "merchants", "reset-password", "--email", email)
    assert.strictEqual((yield* signIn(created.password)).status, 401)
    assert.strictEqual((yield* signIn(reset.password)).status, 200)
  })
)
