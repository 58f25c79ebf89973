/* Writable fields of a product, with their columns and the JSON Schemas from which Fastify compiles validators. */

const amount = { type: "number", minimum: 0, maximum: 999_999_999_999_999 }
const bool = { type: "boolean" }
const text = (maxLength: number) => ({ type: "string", maxLength })
const orNull = (schema: { readonly type: string }) => ({ ...schema, type: [schema.type, "null"] })
const url = { type: "string", format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://", maxLength: 2048 }
const listOf = (items: object, maxItems: number) => ({ type: "array", items, maxItems })
const open = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: true
})
const opaque = {
  anyOf: [{ type: "object" }, { type: "array", items: { type: "object" } }]
}

const variant = open({
  title: text(255),
  sku: text(255),
  barcode: text(255),
  price: amount,
  discountedPrice: amount,
  costPrice: amount,
  stock: amount,
  options: { type: "object", additionalProperties: text(255) }
})

const short = orNull(text(255))

/** Field → column and JSON Schema. */
export const FIELDS = {
  name: ["name", { type: "string", minLength: 1, maxLength: 255 }],
  slug: ["slug", { type: "string", pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$", maxLength: 255 }],
  price: ["price", amount],
  discountedPrice: ["discounted_price", orNull(amount)],
  costPrice: ["cost_price", orNull(amount)],
  stock: ["stock", amount],
  currencyCode: ["currency_code", { type: "string", pattern: "^[A-Za-z]{3}$" }],
  isActive: ["is_active", bool],
  onSale: ["on_sale", bool],
  taxable: ["taxable", bool],
  trackInventory: ["track_inventory", bool],
  description: ["description", orNull(text(65_535))],
  vendorName: ["vendor_name", short],
  category: ["category", short],
  categoryId: ["category_id", short],
  categoryName: ["category_name", short],
  productType: ["product_type", short],
  productKind: ["product_kind", text(64)],
  sku: ["sku", short],
  barcode: ["barcode", short],
  imageUrl: ["image_url", orNull(url)],
  tags: ["tags", listOf({ type: "string", minLength: 1, maxLength: 255 }, 250)],
  media: [
    "media",
    listOf(open({ url, type: text(255), alt: text(65_535), position: { type: "integer" } }, ["url"]), 250)
  ],
  options: ["options", listOf(open({ name: text(255), values: listOf(text(255), 2048) }, ["name", "values"]), 10)],
  variants: ["variants", listOf(variant, 2048)],
  faqs: ["faqs", listOf(open({ question: text(65_535), answer: text(65_535) }, ["question", "answer"]), 100)],
  metafields: ["metafields", opaque],
  customFields: ["custom_fields", opaque],
  weight: ["weight", orNull(amount)],
  dimensions: ["dimensions", orNull(open({ length: amount, width: amount, height: amount, unit: text(255) }))],
  countryOfOrigin: ["country_of_origin", short],
  hsCode: ["hs_code", short],
  seoTitle: ["seo_title", short],
  seoDescription: ["seo_description", orNull(text(1000))],
  metaDescription: ["meta_description", orNull(text(1000))]
} as const satisfies Record<string, readonly [column: string, schema: object]>

export type Field = keyof typeof FIELDS

export const isField = (name: string): name is Field => Object.hasOwn(FIELDS, name)

const properties = Object.fromEntries(Object.entries(FIELDS).map(([name, [, schema]]) => [name, schema]))

/** Fastify removes fields that are not in the schema. */
export const createBody = { type: "object", properties, required: ["name"], additionalProperties: false }
export const updateBody = { type: "object", properties, additionalProperties: false }

/** Fields of type jsonb. The driver would encode their arrays as PostgreSQL arrays. */
const JSONB: ReadonlySet<Field> = new Set([
  "media",
  "options",
  "variants",
  "faqs",
  "metafields",
  "customFields",
  "dimensions"
] as const)

export const parameterOf = (field: Field, value: unknown): unknown =>
  JSONB.has(field) && value !== null ? JSON.stringify(value) : value

/** Columns of a product with their API names, in the order of the API. */
export const SELECTED = [
  "id",
  "version",
  ...Object.entries(FIELDS).map(([name, [column]]) => `${column} as "${name}"`),
  `created_at as "createdAt"`,
  `updated_at as "updatedAt"`
].join(", ")
