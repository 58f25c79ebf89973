import { assert, it } from "@effect/vitest"
import currencyCodes from "currency-codes"
import { CURRENCIES, FORMER_CURRENCIES } from "../../../src/domain/catalog/Currencies.ts"

/** Amendments since the list of the package, June 2024: 176, 178, 179 and the euro of Bulgaria. */
const ADDED = ["XAD", "XCG"]
const ENDED = new Set(["ANG", "BGN", "CUC"])

it("CURRENCIES has exactly the current codes of ISO 4217", () => {
  const current = currencyCodes.codes().filter((code) => !ENDED.has(code))
  assert.sameMembers([...CURRENCIES], [...current, ...ADDED])
})

it("no former currency is a current one, and all that ended since the list of the package are known", () => {
  assert.isTrue([...FORMER_CURRENCIES].every((code) => !CURRENCIES.has(code)))
  assert.includeMembers([...FORMER_CURRENCIES], [...ENDED])
})
