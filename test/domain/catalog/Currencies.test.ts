import { assert, it } from "@effect/vitest"
import currencyCodes from "currency-codes"
import { CURRENCIES } from "../../../src/domain/catalog/Currencies.ts"

it("currencies are those of ISO 4217", () => {
  // The package's list is of June 2024; the Caribbean guilder came after it.
  assert.sameMembers([...CURRENCIES], [...currencyCodes.codes(), "XCG"])
})
