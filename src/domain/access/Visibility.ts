import { fieldOf, type Rule } from "../catalog/Rule.ts"
import { CATALOG_KINDS, CatalogKind } from "../journal/Kinds.ts"
import type { Grants } from "./AccessRule.ts"
import type { Scope } from "./Scope.ts"

/** Scopes of which one is enough. */
export type ScopeGroup = readonly [Scope, ...ReadonlyArray<Scope>]

/**
 * Scopes that show whole products. `write_products` does, because each of its writes returns the product (contract,
 * sections 4.2 and 4.3).
 */
export const SEES_PRODUCTS: ScopeGroup = ["read_products", "write_products"]

/** Scopes that show collections with their products (contract, section 4.6). */
const SEES_COLLECTIONS: ScopeGroup = ["read_collections", "write_collections"]

/** Grants of a caller. Callers without capabilities may leave them out. */
export type Viewer = Pick<Grants, "scopes"> & Partial<Pick<Grants, "capabilities">>

/** Parts of a store that a caller sees, in responses of any kind (docs/spec/access.md). */
export interface Visibility {
  /** Kinds whose resources the caller finds: in lists, queries, digests, the change feed, the journal and events. */
  readonly found: ReadonlyArray<CatalogKind>
  /** Fields of products: all, those of the inventory, or none but id and version. */
  readonly products: "whole" | "inventory" | "named"
  readonly collections: boolean
  /** True if personal data is visible. Otherwise it is null. */
  readonly isPersonal: boolean
}

/** Tests if one of the scopes is granted. */
export const hasOne = ({ scopes }: Pick<Grants, "scopes">, group: ScopeGroup) =>
  group.some((scope) => scopes.includes(scope))

/** Decides what a set of grants sees of a store. All surfaces and all kinds of responses use it. */
export const visibilityOf = ({ capabilities = [], ...grants }: Viewer): Visibility => ({
  found: CatalogKind.literals.filter((kind) => grants.scopes.includes(CATALOG_KINDS[kind].scopes.read)),
  products: hasOne(grants, SEES_PRODUCTS) ? "whole" : hasOne(grants, ["write_inventory"]) ? "inventory" : "named",
  collections: hasOne(grants, SEES_COLLECTIONS),
  isPersonal: capabilities.includes("customer_pii")
})

/**
 * Returns the groups of scopes that rules of a collection need in addition to its write scope. The contract returns the
 * products of the rules to `write_collections`, so rules on most fields need none. Shoppers do not see the cost price.
 */
export const scopesOfRules = (rules: ReadonlyArray<Rule> = []): ReadonlyArray<ScopeGroup> =>
  rules.some(({ field }) => fieldOf(field) === "costPrice") ? [SEES_PRODUCTS] : []
