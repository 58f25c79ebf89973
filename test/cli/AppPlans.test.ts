import { assert, it } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { createApp, cli, jsonOutput } from "../support/process/Cli.ts"
import { makeMigratedDatabase } from "../support/process/Process.ts"

const argumentsOf = (text: string) => text.split(" ")

const Created = Schema.Struct({
  planId: Schema.String.check(Schema.isUUID()),
  appId: Schema.String.check(Schema.isUUID()),
  name: Schema.String,
  price: Schema.String,
  currencyCode: Schema.String,
  period: Schema.String,
  trialDays: Schema.Int
})
const Listed = Schema.Struct({ plans: Schema.Array(Created.mapFields(Struct.omit(["appId"]))) })
const Retired = Schema.Struct({
  appId: Schema.String.check(Schema.isUUID()),
  name: Schema.String,
  retired: Schema.Literal(true)
})

it.live("app plans are created, listed, changed by name and retired; invalid input prints one error line", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { appId } = yield* createApp(url, "read_products")
    const argumentsFor = (price: string) =>
      argumentsOf(`apps plans set --app ${appId} --name Basic --price ${price} --currency eur --period month`)
    const set = (price: string) => jsonOutput(Created, url, ...argumentsFor(price))
    const created = yield* set("9.90")
    const { appId: _, ...plan } = created
    assert.deepInclude(created, { price: "9.9", currencyCode: "EUR", period: "month", trialDays: 0 })
    const exact = "0.12345678901234568"
    assert.deepStrictEqual(yield* set(exact), { ...created, price: exact })
    const list = jsonOutput(Listed, url, "apps", "plans", "list", "--app", appId)
    assert.deepStrictEqual(yield* list, { plans: [{ ...plan, price: exact }] })

    const retire = argumentsOf(`apps plans retire --app ${appId} --name Basic`)
    yield* jsonOutput(Retired, url, ...retire)
    assert.deepStrictEqual(yield* list, { plans: [] })
    const retiredAgain = yield* cli(url, ...retire)
    assert.strictEqual(retiredAgain.code, 1)
    assert.match(retiredAgain.stderr, /^partner-api: App .* has no plan Basic; list its plans with: apps plans list\n$/)
    for (const price of ["1e3", "0.1234567890123456789"]) {
      const invalid = yield* cli(url, ...argumentsFor(price))
      assert.strictEqual(invalid.code, 2)
      assert.match(
        invalid.stderr,
        /^partner-api: --price: must be a (?:decimal )?number .*\. See: partner-api apps plans set --help\n$/
      )
    }
    assert.strictEqual((yield* set("1")).planId, plan.planId)
  })
)
