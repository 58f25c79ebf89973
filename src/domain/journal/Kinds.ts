import { Schema } from "effect"
import type { Scope } from "../access/Scope.ts"

/** Kinds with versions. They have events and change streams, and their changes can be undone. */
export const CatalogKind = Schema.Literals(["product", "collection"])
export type CatalogKind = typeof CatalogKind.Type

/** Kinds that store members administer. They have no versions. */
export const AdministeredKind = Schema.Literals(["settings", "member", "agent", "installation", "subscription"])
export type AdministeredKind = typeof AdministeredKind.Type

/** Kinds of resources in the journal. */
export const ResourceKind = Schema.Literals([...CatalogKind.literals, ...AdministeredKind.literals])
export type ResourceKind = typeof ResourceKind.Type

/** Scopes that an agent needs to read changes of a catalog resource and to undo them. */
export const SCOPES = {
  product: { read: "read_products", write: "write_products" },
  collection: { read: "read_collections", write: "write_collections" }
} as const satisfies Record<CatalogKind, { readonly read: Scope; readonly write: Scope }>
