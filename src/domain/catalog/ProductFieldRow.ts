import type { Schema } from "effect"

/** Comparisons of a field in the rules of collections. A list satisfies a positive relation if any of its values does. */
export interface FieldRule {
  readonly kind: "text" | "number" | "boolean"
  readonly list: boolean
}

/** Card of the form with the field. */
export type Card =
  "basics" | "pricing" | "inventory" | "variants" | "seo" | "faqs" | "shipping" | "advanced" | "status" | "organization"

/** Kinds of inputs of texts. */
export type TextInput = "text" | "title" | "lines" | "html" | "picture" | "currency" | "country" | "productKind"
/** Kinds of inputs whose form values are numbers, as typed. */
export type AmountInput = "number" | "money" | "stock"
/** Kinds of inputs of one field each. */
export type CompositeInput = "tags" | "dimensions" | "media" | "options" | "variants" | "faqs"

/** Input of a field in the form of a product. */
export interface FieldInput {
  readonly card: Card
  readonly kind: TextInput | AmountInput | CompositeInput | "flag" | "json"
  /** True for fields that follow the others of their card. */
  readonly isLast?: true
  /** The service or another card supplies a value, which does not open the card. */
  readonly isAutomatic?: true
}

/** Column of a Shopify export that has the value of the field. A text is the cell itself. */
interface TextColumn {
  /** Name in mappings of columns. */
  readonly name: string
  /** Names in files, in lower case, from exports of several years. */
  readonly headers: readonly [string, ...ReadonlyArray<string>]
}

/** Column with several texts, which commas separate. */
interface ListColumn extends TextColumn {
  readonly isList: true
}

/** Schema of a field, with a description and an example, and the column that it can have. */
type FieldValue =
  | { readonly schema: Schema.Top; readonly column?: never }
  | { readonly schema: Schema.Codec<string | null, string | null>; readonly column: TextColumn & { isList?: never } }
  | { readonly schema: Schema.Codec<ReadonlyArray<string>, ReadonlyArray<string>>; readonly column: ListColumn }

/** Row of a field. Its label is in `web/shared/fieldTexts.ts`. */
export type FieldRow = FieldValue & {
  /** Value of a new product that does not give one, and of stored products that lack it. Absent: the service decides. */
  readonly default?: unknown
  readonly rule?: FieldRule
  /** Search index: equal values, or their words too. A change applies to a product with its next write. */
  readonly search?: "values" | "words"
  readonly input: FieldInput
}
