import { CatalogKind } from "../../domain/journal/Kinds.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

/** Table of a kind of catalog resource, and how its rows are locked. */
interface CatalogTable {
  readonly table: string
  /** Member of the document that names the resource. */
  readonly nameMember: string
  /** Lock of a resource that an undo changes. Lock order: ARCHITECTURE.md, Invariants. */
  readonly undoLock: { readonly when: "before the store" | "after the store"; readonly strength: string }
}

/** Facts of each kind of catalog resource in the database. `domain/journal/Kinds.ts` holds those of the domain. */
export const CATALOG_TABLES = {
  product: {
    table: "products",
    nameMember: "name",
    undoLock: { when: "after the store", strength: "update" }
  },
  collection: {
    table: "collections",
    nameMember: "title",
    undoLock: { when: "before the store", strength: "no key update" }
  }
} as const satisfies Record<CatalogKind, CatalogTable>

/** Expression of a column of the resource with this kind and id; null if it does not exist. */
const current =
  (column: Fragment) =>
  (store: Fragment, kind: Fragment, id: Fragment): Fragment => {
    const cases = CatalogKind.literals.map(
      (literal) => sql`
        when ${kind} = ${sql.literal(`'${literal}'`)} then (
          select ${column} from ${sql(CATALOG_TABLES[literal].table)} where store_id = ${store} and id = ${id}
        )
      `
    )
    return sql`case ${sql.join(" ", false)(cases)} end`
  }

/** Expression of the current version of a resource. */
export const currentVersion = current(sql`version`)

/** Expression of the stored document of a resource, as text. */
export const currentDocument = current(sql`document::text`)
