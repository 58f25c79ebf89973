import type { FieldInput, FieldRow, FieldRule } from "./ProductFieldRow.ts"
import { PRODUCT_FIELDS, type ProductField, productFields, type With } from "./ProductFields.ts"

/* Fields of a product by members of their rows. */

/** Fields with rules of a kind. */
type RuledField<Kind extends FieldRule["kind"]> = With<{ readonly rule: { readonly kind: Kind } }>

/** Tests for fields that rules compare as a kind. */
export const isRuledAs =
  <const Kind extends FieldRule["kind"]>(kind: Kind) =>
  (name: ProductField): name is RuledField<Kind> => {
    const row: FieldRow = PRODUCT_FIELDS[name]
    return row.rule?.kind === kind
  }

/** Fields that rules compare. */
export const ruledFields = productFields.filter((name): name is With<{ readonly rule: object }> =>
  Object.hasOwn(PRODUCT_FIELDS[name], "rule")
)

/** Fields with inputs of some kinds. */
export type FieldWithInput<Kind extends FieldInput["kind"]> = With<{ readonly input: { readonly kind: Kind } }>

/** Returns the fields with inputs of some kinds. */
export const fieldsWithInput = <const Kind extends FieldInput["kind"]>(
  kinds: ReadonlyArray<Kind>
): ReadonlyArray<FieldWithInput<Kind>> =>
  productFields.filter((name): name is FieldWithInput<Kind> =>
    kinds.some((kind) => kind === PRODUCT_FIELDS[name].input.kind)
  )

/** Tests for fields that null clears. */
export const isNullable = (name: ProductField): boolean => {
  const row: FieldRow = PRODUCT_FIELDS[name]
  return row.default === null
}

/** Fields that the search indexes. */
export const searchedFields = productFields.filter((name): name is With<{ readonly search: "values" | "words" }> =>
  Object.hasOwn(PRODUCT_FIELDS[name], "search")
)

/** Fields with a column of Shopify's exports. */
export const columnFields = productFields.filter((name): name is With<{ readonly column: object }> =>
  Object.hasOwn(PRODUCT_FIELDS[name], "column")
)
