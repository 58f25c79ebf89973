import { type Draft, type Field, VARIANT_AMOUNTS } from "./productDraft.ts"
import { productTexts } from "../productTexts.ts"

const variantText = (variant: Draft["variants"][number]) =>
  [variant.title, ...Object.values(variant.choices), variant.sku, ...VARIANT_AMOUNTS.map((name) => variant[name])]
    .filter((part) => part !== "")
    .join(" · ")

/** Text of a field, for the comparison of two versions. */
export const fieldText = (draft: Draft, field: Field): string => {
  switch (field) {
    case "tags":
      return draft.tags.join(", ")
    case "media":
      return draft.media.map(({ alt, url }) => (alt === "" ? url : `${url} (${alt})`)).join("\n")
    case "options":
      return draft.options.map(({ name, values }) => `${name}: ${values.join(", ")}`).join("\n")
    case "variants":
      return draft.variants.map(variantText).join("\n")
    case "faqs":
      return draft.faqs.map(({ answer, question }) => `${question}\n${answer}`).join("\n")
    case "dimensions":
      return [draft.dimensions.length, draft.dimensions.width, draft.dimensions.height, draft.dimensions.unit]
        .filter((part) => part !== "")
        .join(" × ")
    case "isActive":
    case "onSale":
    case "taxable":
    case "trackInventory":
      return draft[field] ? productTexts.form.yes : productTexts.form.no
    default:
      return draft[field]
  }
}
