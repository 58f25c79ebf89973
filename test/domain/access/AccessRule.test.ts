import { assert, describe, it } from "@effect/vitest"
import {
  type AccessRule,
  AnyScope,
  AnyToken,
  CapabilityNotGranted,
  type Grants,
  NeedsCapability,
  NO_GRANTS,
  refusalOf,
  ScopeNotGranted
} from "../../../src/domain/access/AccessRule.ts"
import type { Scope } from "../../../src/domain/access/Scope.ts"

const inventory = AnyScope.make({ scopes: ["write_inventory", "write_products"] })
const storage = NeedsCapability.make({ capability: "app_storage" })

const granted = (...scopes: ReadonlyArray<Scope>): Grants => ({ scopes, capabilities: [] })

const messageOf = (rule: AccessRule) => refusalOf(granted("read_orders"), rule)?.message

describe("Access rules", () => {
  it("AnyToken allows an installation without grants", () => {
    assert.isUndefined(refusalOf(NO_GRANTS, AnyToken.make({})))
  })

  it("AnyScope requires one of its scopes", () => {
    for (const scope of inventory.scopes) assert.isUndefined(refusalOf(granted(scope, "read_orders"), inventory))
    assert.instanceOf(refusalOf(granted("read_products", "read_orders"), inventory), ScopeNotGranted)
    assert.instanceOf(refusalOf({ scopes: [], capabilities: ["app_storage"] }, inventory), ScopeNotGranted)
  })

  it("NeedsCapability requires its capability", () => {
    assert.isUndefined(refusalOf({ scopes: [], capabilities: ["customer_pii", "app_storage"] }, storage))
    assert.instanceOf(refusalOf({ scopes: [], capabilities: ["customer_pii"] }, storage), CapabilityNotGranted)
    assert.instanceOf(refusalOf(granted("write_products"), storage), CapabilityNotGranted)
  })

  it("the error message names the missing scopes or capability", () => {
    const one = AnyScope.make({ scopes: ["write_products"] })
    assert.strictEqual(messageOf(one), "The installation was not granted the scope write_products")
    assert.strictEqual(
      messageOf(inventory),
      "The installation was not granted the scope write_inventory or write_products"
    )
    assert.strictEqual(messageOf(storage), "The installation was not granted the capability app_storage")
  })
})
