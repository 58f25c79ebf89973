import { Record, Struct } from "effect"
import { PRODUCT_FIELDS } from "../../../src/domain/catalog/ProductFields.ts"
import type { FieldRow } from "../../../src/domain/catalog/ProductFieldRow.ts"
import { STORED_DOCUMENTS } from "./StoredDocuments.ts"

/** Members of the stored documents of a release: its `documents.json`. */
export type Documents = Readonly<Record<string, Members>>

interface Members {
  /** Paths without a default. */
  readonly required: ReadonlyArray<string>
  /** All paths, each with `=` and its default if it has one. */
  readonly members: ReadonlyArray<string>
}

/** Members of the stored documents of this release. */
export const documents: Documents = Record.map(STORED_DOCUMENTS, Struct.pick(["required", "members"]))

/** Product fields that rules can compare, and whether a product that lacks the facet is compared rightly. */
const FACETS: ReadonlyArray<readonly [field: string, isNull: boolean]> = Object.entries<FieldRow>(
  PRODUCT_FIELDS
).flatMap(([name, row]) => (row.rule === undefined ? [] : [[name, row.default === null]]))

const pathsOf = ({ members }: Members) => new Set(members.map((line) => line.split("=", 1).join("")))

/** Paths of the objects that contain a member: `variants[].price` is in `variants[]`, or `variants`. */
const isInNew = (paths: ReadonlySet<string>, path: string): boolean => {
  const container = path.slice(0, path.lastIndexOf(".")).replace(/\[\]$/, "")
  return path.includes(".") && (!paths.has(container) || isInNew(paths, container))
}

/** Lists the changes since a release because of which one of the two cannot read what the other wrote. */
export const findDocumentChanges = (
  version: string,
  released: Documents,
  { current = documents, facets = FACETS, isLatest = true } = {}
): ReadonlyArray<string> => {
  const added = Object.entries(current).flatMap(([name, members]) => {
    const before = released[name]
    if (before === undefined) return []
    const paths = pathsOf(before)
    return members.required
      .filter((path) => !before.required.includes(path) && !isInNew(paths, path))
      .map(
        (path) =>
          `${name}: ${path} is required, and documents of release ${version} may lack it. Give it a default in the \`defaults\` of its storedDocument (a product field: \`default\` in PRODUCT_FIELDS)`
      )
  })
  const removed = Object.entries(isLatest ? released : {}).flatMap(([name, { required }]) => {
    const now = current[name]
    if (now === undefined) return []
    return required
      .filter((path) => !now.required.includes(path) && !now.members.some((line) => line.startsWith(`${path}=`)))
      .map(
        (path) =>
          `${name}: ${path} is not always written any more, and release ${version} requires it. Keep it with a default for one more release`
      )
  })
  const unregistered = Object.keys(released)
    .filter((name) => !(name in current))
    .map(
      (name) =>
        `${name} of release ${version} is missing. Keep its codec in test/support/releases/StoredDocuments.ts: rows and files of that release have such documents`
    )
  const products = released["product"]
  const fields = products && pathsOf(products)
  const unruled = facets
    .filter(([field, isNull]) => fields !== undefined && !fields.has(field) && !isNull)
    .map(
      ([field]) =>
        `product: rules compare ${field}, which facets of release ${version} lack. Give it the default null, because a missing facet is compared as null`
    )
  return [...added, ...removed, ...unregistered, ...unruled]
}
