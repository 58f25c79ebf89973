/** Row of a file: cells by column name. */
export type ShopifyRow = Readonly<Record<string, string>>

/** Column names in lower case, from exports of several years. */
const COLUMNS = {
  handle: ["handle", "url handle"],
  title: ["title"],
  body: ["body (html)", "body html", "body", "description"],
  vendor: ["vendor"],
  category: ["product category", "standard product type", "standardized product type"],
  type: ["type", "custom product type", "product type"],
  tags: ["tags"],
  published: ["published", "published on online store"],
  status: ["status"],
  option1Name: ["option1 name"],
  option1Value: ["option1 value"],
  option1LinkedTo: ["option1 linked to"],
  option2Name: ["option2 name"],
  option2Value: ["option2 value"],
  option2LinkedTo: ["option2 linked to"],
  option3Name: ["option3 name"],
  option3Value: ["option3 value"],
  option3LinkedTo: ["option3 linked to"],
  sku: ["variant sku", "sku"],
  barcode: ["variant barcode", "barcode"],
  price: ["variant price", "price"],
  compareAtPrice: ["variant compare at price", "compare-at price", "compare at price"],
  cost: ["cost per item", "variant cost"],
  quantity: ["variant inventory qty", "variant inventory quantity", "inventory quantity"],
  tracker: ["variant inventory tracker", "inventory tracker"],
  policy: ["variant inventory policy", "continue selling when out of stock"],
  fulfillment: ["variant fulfillment service", "fulfillment service"],
  requiresShipping: ["variant requires shipping", "requires shipping"],
  taxable: ["variant taxable", "charge tax"],
  taxCode: ["variant tax code", "tax code"],
  grams: ["variant grams", "weight value (grams)"],
  weightUnit: ["variant weight unit", "weight unit for display"],
  image: ["image src", "product image url"],
  imagePosition: ["image position"],
  imageAlt: ["image alt text"],
  variantImage: ["variant image", "variant image url"],
  giftCard: ["gift card"],
  seoTitle: ["seo title"],
  seoDescription: ["seo description"]
} as const

export type ShopifyField = keyof typeof COLUMNS

export const isSet = (cell: string): boolean => cell.trim() !== ""

/** Creates accessors for the cells of a file with these columns, in any order. */
export const makeColumns = (header: ReadonlyArray<string>) => {
  const columnsOf = (names: ReadonlyArray<string>) =>
    names.flatMap((name) => header.filter((column) => column.trim().toLowerCase() === name))
  const known = new Map(Object.entries(COLUMNS).map(([field, names]) => [field, columnsOf(names)] as const))
  const all = new Set([...known.values()].flat())
  return {
    /** Tests whether the file has a column for the field. */
    has: (field: ShopifyField): boolean => (known.get(field) ?? []).length > 0,
    /** Returns the cell of the field, or an empty text. */
    cell: (row: ShopifyRow, field: ShopifyField): string =>
      (known.get(field) ?? []).map((column) => row[column] ?? "").find(isSet) ?? "",
    /** Columns without a known field. */
    unknown: header.filter((column) => !all.has(column) && column.trim() !== "")
  }
}
