import { Struct } from "effect"
import { MAX_VARIANTS } from "../../../../domain/catalog/ProductFields.ts"
import { newItemKey, type OptionDraft, type VariantDraft } from "./productDraft.ts"

/* Variants that follow from options. */

export const newVariant = (choices: Readonly<Record<string, string>> = {}): VariantDraft => ({
  key: newItemKey(),
  title: Object.values(choices).join(" / "),
  sku: "",
  barcode: "",
  price: "",
  discountedPrice: "",
  costPrice: "",
  stock: "",
  choices
})

/** Removes the values of deleted options from variants. */
export const withoutOptions = (
  variants: ReadonlyArray<VariantDraft>,
  before: ReadonlyArray<OptionDraft>,
  after: ReadonlyArray<OptionDraft>
): ReadonlyArray<VariantDraft> => {
  const removedKeys = before.map(({ key }) => key).filter((key) => !after.some((option) => option.key === key))
  return removedKeys.length === 0
    ? variants
    : variants.map((variant) => ({ ...variant, choices: Struct.omit(variant.choices, [...removedKeys]) }))
}

/** All combinations of option values. */
const combinations = (options: ReadonlyArray<OptionDraft>) =>
  options
    .filter(({ values }) => values.length > 0)
    .reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
      (combined, { key, values }) =>
        combined.flatMap((choices) => values.map((value) => ({ ...choices, [key]: value }))).slice(0, MAX_VARIANTS),
      [{}]
    )
    .filter((choices) => Object.keys(choices).length > 0)

/** New variants for missing combinations, up to the limit of a product. */
export const missingVariants = (
  options: ReadonlyArray<OptionDraft>,
  variants: ReadonlyArray<VariantDraft>
): ReadonlyArray<VariantDraft> =>
  combinations(options)
    .filter(
      (choices) =>
        !variants.some((variant) => Object.entries(choices).every(([key, value]) => variant.choices[key] === value))
    )
    .slice(0, Math.max(0, MAX_VARIANTS - variants.length))
    .map(newVariant)
