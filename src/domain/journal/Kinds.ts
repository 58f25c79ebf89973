import { Schema } from "effect"
import type { Scope } from "../access/Scope.ts"

/** What has versions: events tell of it, it is followed, and its changes are undone. */
export const CatalogKind = Schema.Literals(["product", "collection"])
export type CatalogKind = typeof CatalogKind.Type

/** What the members of a store administer. It has no versions. */
export const AdministeredKind = Schema.Literals(["settings", "member", "agent", "installation", "subscription"])
export type AdministeredKind = typeof AdministeredKind.Type

/** What the journal tells of. */
export const ResourceKind = Schema.Literals([...CatalogKind.literals, ...AdministeredKind.literals])
export type ResourceKind = typeof ResourceKind.Type

/** What an agent must be allowed to, to see what became of a resource of the catalog, and to take it back. */
export const SCOPES = {
  product: { read: "read_products", write: "write_products" },
  collection: { read: "read_collections", write: "write_collections" }
} as const satisfies Record<CatalogKind, { readonly read: Scope; readonly write: Scope }>
