import { Schema } from "effect"
import type { Scope } from "../access/Scope.ts"
import type { EventKind } from "../Events.ts"

/** Kinds with versions. They have events and change streams, and their changes can be undone. */
export const CatalogKind = Schema.Literals(["product", "collection"])
export type CatalogKind = typeof CatalogKind.Type

/** Kinds that store members administer. They have no versions. */
export const AdministeredKind = Schema.Literals([
  "settings",
  "member",
  "invitation",
  "agent",
  "installation",
  "subscription"
])
export type AdministeredKind = typeof AdministeredKind.Type

/** Kinds of resources in the journal. */
export const ResourceKind = Schema.Literals([...CatalogKind.literals, ...AdministeredKind.literals])
export type ResourceKind = typeof ResourceKind.Type

/** Facts of a kind of catalog resource that the domain decides. */
interface CatalogKindFacts {
  /** Scopes that an agent needs to read changes of the resource and to undo them. */
  readonly scopes: { readonly read: Scope; readonly write: Scope }
  /** Event of a creation and of an update. */
  readonly updated: EventKind
  /** True if collections contain the resource: a dry run lists them, and an undo of its deletion restores its places. */
  readonly isCollected: boolean
}

/**
 * Facts of each kind of catalog resource; `layers/journal/CatalogTables.ts` holds those of the database. A new kind starts
 * here: the compiler then names the places that decide something for each kind.
 */
export const CATALOG_KINDS = {
  product: {
    scopes: { read: "read_products", write: "write_products" },
    updated: "catalog.product.updated.v1",
    isCollected: true
  },
  collection: {
    scopes: { read: "read_collections", write: "write_collections" },
    updated: "catalog.collection.updated.v1",
    isCollected: false
  }
} as const satisfies Record<CatalogKind, CatalogKindFacts>
