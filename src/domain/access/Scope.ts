import { Schema } from "effect"

/** Scopes that an app can request (contract, section 5; docs/spec/access.md). */
export const Scope = Schema.Literals([
  "read_products",
  "write_products",
  "read_collections",
  "write_collections",
  "read_orders",
  "read_customers",
  "write_inventory",
  "read_files",
  "write_files"
])
export type Scope = typeof Scope.Type

const isScope = Schema.is(Scope)

/** Parses a list of scopes with spaces. Unknown ones are ignored, as RFC 6749, section 3.3 allows: clients add their own. */
export const knownScopes = (list: string): ReadonlyArray<Scope> => list.split(" ").filter(isScope)

/** The grant includes scopes that the app does not declare. */
export class ScopesNotDeclared extends Schema.TaggedError<ScopesNotDeclared>()("ScopesNotDeclared", {
  scopes: Schema.Array(Scope)
}) {
  override get message() {
    return `The app does not declare ${this.scopes.join(", ")}; leave them out or declare them on the app`
  }
}
