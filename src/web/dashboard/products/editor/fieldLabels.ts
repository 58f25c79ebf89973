import { type Draft, type Field, VARIANT_AMOUNTS } from "./productDraft.ts"

/** Labels of product fields. */
export const fieldLabels: Readonly<Record<Field, string>> = {
  name: "Name",
  slug: "Slug",
  price: "Price",
  discountedPrice: "Sale price",
  costPrice: "Cost",
  stock: "Stock",
  currencyCode: "Currency",
  isActive: "Active",
  onSale: "On sale",
  taxable: "Charge tax",
  trackInventory: "Track stock",
  description: "Description",
  vendorName: "Vendor",
  category: "Category",
  categoryId: "Category ID",
  categoryName: "Category name",
  productType: "Product type",
  productKind: "Product kind",
  sku: "SKU",
  barcode: "Barcode",
  imageUrl: "Main image URL",
  tags: "Tags",
  media: "Media",
  options: "Options",
  variants: "Variants",
  faqs: "Questions and answers",
  metafields: "Metafields",
  customFields: "Custom fields",
  weight: "Weight",
  dimensions: "Dimensions",
  countryOfOrigin: "Country of origin",
  hsCode: "HS code",
  seoTitle: "SEO title",
  seoDescription: "SEO description",
  metaDescription: "Meta description"
}

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
      return draft[field] ? "Yes" : "No"
    default:
      return draft[field]
  }
}
