/** Change of a source: the text `find`, which must be in it once, is replaced by `put`. */
export interface Patch {
  readonly file: string
  readonly find: string
  readonly put: string
}

/** Field of a product that the next release adds, which rules can use. */
export const NEW_FIELD = "countryOfAssembly"

/** Kind of event that the next release sends instead of the one of its time. */
export const NEW_KIND = "catalog.collection.updated.v2"

/** Scope that the next release adds. */
export const NEW_SCOPE = "read_assemblies"

/** Column of `products` that a migration of the next release adds and that its updates write. */
export const NEW_COLUMN = "patched_by"

const MIGRATION = "9999_patched_by"

// Apart from its module, which the check of imports would look for.
const IMPORT = "import patchedBy from"

/** Sources that the next release adds. */
export const NEW_SOURCES: Readonly<Record<string, string>> = {
  [`src/layers/migrations/${MIGRATION}.ts`]: `
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql\`alter table products add column ${NEW_COLUMN} text\`)
`
}

/**
 * What the next release changes, as a stand-in for it: a field, a kind of event, a scope and a column with its migration.
 * Texts are short, so that changes beside them do not break the patch.
 */
export const PATCHES: ReadonlyArray<Patch> = [
  {
    file: "src/domain/catalog/ProductFields.ts",
    find: "  countryOfOrigin: {",
    put: `  ${NEW_FIELD}: {
    schema: nullable(short, "Country of assembly", "PT"),
    default: null,
    rule: TEXT,
    input: { card: "shipping", kind: "country" }
  },
  countryOfOrigin: {`
  },
  {
    file: "src/domain/Events.ts",
    find: "export const EVENTS = {",
    put: `export const EVENTS = {
  "${NEW_KIND}": { name: "CollectionUpdatedV2", resource: "collection", scope: "read_collections" },`
  },
  {
    file: "src/http/api/Webhooks.ts",
    find: "const RESOURCES = {",
    put: `const RESOURCES = { "${NEW_KIND}": CollectionHead,`
  },
  {
    file: "src/domain/journal/Kinds.ts",
    find: `updated: "catalog.collection.updated.v1"`,
    put: `updated: "${NEW_KIND}"`
  },
  {
    file: "src/domain/access/Scope.ts",
    find: "export const Scope = Schema.Literals([",
    put: `export const Scope = Schema.Literals(["${NEW_SCOPE}",`
  },
  {
    file: "src/layers/Migrations.ts",
    find: `import hashes from`,
    put: `${IMPORT} "./migrations/${MIGRATION}.ts"\nimport hashes from`
  },
  {
    file: "src/layers/Migrations.ts",
    find: `"0001_baseline": baseline`,
    put: `"0001_baseline": baseline, "${MIGRATION}": patchedBy`
  },
  {
    file: "src/layers/catalog/ProductRepository.ts",
    find: "set slug = entry.slug,",
    put: `set ${NEW_COLUMN} = 'next release', slug = entry.slug,`
  }
]
