import { assert, it } from "@effect/vitest"
import currencyCodes from "currency-codes"
import { CURRENCIES } from "../../../src/domain/catalog/Currencies.ts"

it("CURRENCIES has exactly the codes of ISO 4217", () => {
  // The list of the package is from June 2024 and lacks the Caribbean guilder.
  assert.sameMembers([...CURRENCIES], [...currencyCodes.codes(), "XCG"])
})
