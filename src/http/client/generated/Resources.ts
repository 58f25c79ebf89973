/* Made by scripts/generate-client.mjs of the definitions in src/http/api: `npm run generate`. */

import type { JsonNumber } from "../Numbers.ts"

/** What a store says of itself, and the installation that asks */
export interface Store {
  /** Store id */
  readonly id: string
  /** Name of the store */
  readonly name: string
  /** Host name of the storefront */
  readonly domain: string | null
  /** Name in the IANA time zone database */
  readonly timezone: string
  /** Language tag of BCP 47 */
  readonly locale: string
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null
  /** Unit of product weights */
  readonly weightUnit: "kg" | "g" | "lb" | "oz"
  /** Currency of prices (ISO 4217) */
  readonly currencyCode: string
  /** Plan, with the limits of the store */
  readonly plan: { readonly name: string; readonly productLimit: number; readonly collectionLimit: number }
  /** Number of products */
  readonly productCount: number
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  readonly installation: Installation
}

/** An app on a store */
export interface Installation {
  /** The installation that the token belongs to */
  readonly id: string
  /** The scopes that it was granted */
  readonly scopes: ReadonlyArray<
    | "read_products"
    | "write_products"
    | "read_collections"
    | "write_collections"
    | "read_orders"
    | "read_customers"
    | "write_inventory"
  >
  /** The capabilities that it was granted */
  readonly capabilities: ReadonlyArray<"app_storage" | "customer_pii">
  /** What the merchant pays for the app, or paid for and still has; null without a subscription */
  readonly subscription: Subscription | null
}

export interface Subscription {
  /** Subscription id */
  readonly id: string
  /** Installation that the subscription pays for */
  readonly installationId: string
  /** Plan of the subscription */
  readonly planId: string
  /** Name of the plan at the time of subscription */
  readonly planName: string
  /** Price per period, with all its digits */
  readonly price: JsonNumber
  /** ISO 4217 */
  readonly currencyCode: string
  /** Billing period */
  readonly period: "month" | "year"
  /** State of the subscription */
  readonly state: "trialing" | "active" | "cancelled"
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly startedAt: string
  /** End of the trial, when the first period begins; null without a trial */
  readonly trialEndsAt: string | null
  /** End of the trial or of the paid period, as in `"2026-01-31T09:30:00.000Z"` */
  readonly periodEndsAt: string
  /** Time of cancellation; null if not cancelled */
  readonly cancelledAt: string | null
}

/** Where a page of the list begins, and what is on it. */
export interface ListProductsQuery {
  /** The `nextCursor` of the page before: the id of its last row */
  readonly cursor?: string | undefined
  /** Rows of a page at most: 50 when absent; more than 200 is treated as 200. A page may hold fewer and still have a `nextCursor`: it ends early, after at least one row, when its bytes pass 1 MiB */
  readonly limit?: number | undefined
}

export interface Product {
  readonly id: string
  /** Version number, starting at 1 and increased by 1 with every change, as in `1` */
  readonly version: number
  /** Name, trimmed, as in `"Walnut desk"` */
  readonly name: string
  /** URL part, unique in the store; derived from the name if absent, as in `"walnut-desk"` */
  readonly slug: string
  /** Unit price in `currencyCode`, as in `249.5` */
  readonly price: JsonNumber
  /** Sale price, as in `199` */
  readonly discountedPrice: JsonNumber | null
  /** Unit cost of the merchant, as in `120.75` */
  readonly costPrice: JsonNumber | null
  /** Quantity in stock, as in `12` */
  readonly stock: JsonNumber
  /** Currency (ISO 4217), in any case. Default: the store's currency, as in `"EUR"` */
  readonly currencyCode: string
  /** If true, the product is offered */
  readonly isActive: boolean
  /** If true, the product is offered at `discountedPrice` */
  readonly onSale: boolean
  /** If true, tax is charged */
  readonly taxable: boolean
  /** If true, `stock` is tracked */
  readonly trackInventory: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description: string | null
  /** Vendor or manufacturer, as in `"Northern Joinery"` */
  readonly vendorName: string | null
  /** Category, in the merchant's words, as in `"Furniture"` */
  readonly category: string | null
  /** Category id in a taxonomy, as in `"4356"` */
  readonly categoryId: string | null
  /** Name of that category, as in `"Desks"` */
  readonly categoryName: string | null
  /** Product type, as in `"Desk"` */
  readonly productType: string | null
  /** Kind of delivery, such as physical or digital, as in `"physical"` */
  readonly productKind: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode: string | null
  /** Main image URL, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl: string | null
  /** Labels, without duplicates that differ only in case, as in `["oak","office"]` */
  readonly tags: ReadonlyArray<string>
  /** Images, videos and 3D models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media: ReadonlyArray<Medium>
  /** Options in which the variants differ, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options: ReadonlyArray<Option>
  /** Variants of the product */
  readonly variants: ReadonlyArray<Variant>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Weight, in the store's unit of weight, as in `31.4` */
  readonly weight: JsonNumber | null
  /** Dimensions, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions: Dimensions | null
  /** Country of origin, as in `"PT"` */
  readonly countryOfOrigin: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription: string | null
  /** Meta description, independent of `seoDescription`, as in `"A desk of solid walnut."` */
  readonly metaDescription: string | null
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

/** An image, video or 3D model */
export interface Medium {
  /** URL, as in `"https://images.example.com/desk-2.jpg"` */
  readonly url: string
  /** Kind of medium, as in `"image"` */
  readonly type?: string
  /** Alternative text, as in `"The desk from above"` */
  readonly alt?: string
  /** Position in the list */
  readonly position?: number
  readonly [name: string]: unknown
}

/** An option in which the variants of a product differ */
export interface Option {
  /** Name of the option, as in `"Width"` */
  readonly name: string
  /** Possible values, as in `["120 cm","160 cm"]` */
  readonly values: ReadonlyArray<string>
  readonly [name: string]: unknown
}

/** A variant of a product */
export interface Variant {
  /** Assigned by the service */
  readonly id: string
  /** Title of the variant, as in `"160 cm"` */
  readonly title?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string
  /** Unit price in the product's `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Sale price, as in `199` */
  readonly discountedPrice?: JsonNumber
  /** Unit cost of the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber
  /** Quantity in stock, as in `7` */
  readonly stock?: JsonNumber
  /** Option values by option name, as in `{"Width":"160 cm"}` */
  readonly options?: { readonly [name: string]: string }
  readonly [name: string]: unknown
}

/** A frequently asked question and its answer */
export interface Faq {
  /** Question of customers, as in `"Does it come assembled?"` */
  readonly question: string
  /** Answer of the merchant, as in `"The legs go on with four screws."` */
  readonly answer: string
  readonly [name: string]: unknown
}

/** Dimensions of a product */
export interface Dimensions {
  /** Depth, or longest side, as in `160` */
  readonly length?: JsonNumber
  /** Width, as in `80` */
  readonly width?: JsonNumber
  /** Height, as in `74` */
  readonly height?: JsonNumber
  /** Unit of all three, as in `"cm"` */
  readonly unit?: string
  readonly [name: string]: unknown
}

export interface CreateProduct {
  /** Name, trimmed, as in `"Walnut desk"` */
  readonly name: string
  /** URL part, unique in the store; derived from the name if absent, as in `"walnut-desk"` */
  readonly slug?: string
  /** Unit price in `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Sale price, as in `199` */
  readonly discountedPrice?: JsonNumber | null
  /** Unit cost of the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber | null
  /** Quantity in stock, as in `12` */
  readonly stock?: JsonNumber
  /** Currency (ISO 4217), in any case. Default: the store's currency, as in `"EUR"` */
  readonly currencyCode?: string
  /** If true, the product is offered */
  readonly isActive?: boolean
  /** If true, the product is offered at `discountedPrice` */
  readonly onSale?: boolean
  /** If true, tax is charged */
  readonly taxable?: boolean
  /** If true, `stock` is tracked */
  readonly trackInventory?: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description?: string | null
  /** Vendor or manufacturer, as in `"Northern Joinery"` */
  readonly vendorName?: string | null
  /** Category, in the merchant's words, as in `"Furniture"` */
  readonly category?: string | null
  /** Category id in a taxonomy, as in `"4356"` */
  readonly categoryId?: string | null
  /** Name of that category, as in `"Desks"` */
  readonly categoryName?: string | null
  /** Product type, as in `"Desk"` */
  readonly productType?: string | null
  /** Kind of delivery, such as physical or digital, as in `"physical"` */
  readonly productKind?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string | null
  /** Main image URL, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl?: string | null
  /** Labels, without duplicates that differ only in case, as in `["oak","office"]` */
  readonly tags?: ReadonlyArray<string>
  /** Images, videos and 3D models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media?: ReadonlyArray<Medium>
  /** Options in which the variants differ, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options?: ReadonlyArray<Option>
  /** Variants. In a patch, an item with an existing `id` keeps the fields that it omits; omitted variants are removed, as in `[{"title":"160 cm","sku":"DESK-WAL-160","price":249.5,"stock":7}]` */
  readonly variants?: ReadonlyArray<VariantInput>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs?: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Weight, in the store's unit of weight, as in `31.4` */
  readonly weight?: JsonNumber | null
  /** Dimensions, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions?: Dimensions | null
  /** Country of origin, as in `"PT"` */
  readonly countryOfOrigin?: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode?: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle?: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription?: string | null
  /** Meta description, independent of `seoDescription`, as in `"A desk of solid walnut."` */
  readonly metaDescription?: string | null
}

/** A variant of a product, as clients write it */
export interface VariantInput {
  /** In a patch, the variant to update. Any value is accepted; one that is not the id of a variant of the product creates a new variant, with an id assigned by the service */
  readonly id?: unknown
  /** Title of the variant, as in `"160 cm"` */
  readonly title?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string
  /** Unit price in the product's `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Sale price, as in `199` */
  readonly discountedPrice?: JsonNumber
  /** Unit cost of the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber
  /** Quantity in stock, as in `7` */
  readonly stock?: JsonNumber
  /** Option values by option name, as in `{"Width":"160 cm"}` */
  readonly options?: { readonly [name: string]: string }
  readonly [name: string]: unknown
}

export interface SetInventory {
  /** New stock, as in `20` */
  readonly stock?: JsonNumber
  /** Difference to add to the stock, as in `-2` */
  readonly adjust?: JsonNumber
  /** Variant to change; without it, the product itself */
  readonly variantId?: string
  /** Required current stock: the change fails if the stock differs, as in `12` */
  readonly expectedStock?: JsonNumber
  /** Reason for the journal, as in `"Two were broken"` */
  readonly reason?: string
}

export interface UpdateProduct {
  /** Name, trimmed, as in `"Walnut desk"` */
  readonly name?: string
  /** URL part, unique in the store; derived from the name if absent, as in `"walnut-desk"` */
  readonly slug?: string
  /** Unit price in `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Sale price, as in `199` */
  readonly discountedPrice?: JsonNumber | null
  /** Unit cost of the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber | null
  /** Quantity in stock, as in `12` */
  readonly stock?: JsonNumber
  /** Currency (ISO 4217), in any case. Default: the store's currency, as in `"EUR"` */
  readonly currencyCode?: string
  /** If true, the product is offered */
  readonly isActive?: boolean
  /** If true, the product is offered at `discountedPrice` */
  readonly onSale?: boolean
  /** If true, tax is charged */
  readonly taxable?: boolean
  /** If true, `stock` is tracked */
  readonly trackInventory?: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description?: string | null
  /** Vendor or manufacturer, as in `"Northern Joinery"` */
  readonly vendorName?: string | null
  /** Category, in the merchant's words, as in `"Furniture"` */
  readonly category?: string | null
  /** Category id in a taxonomy, as in `"4356"` */
  readonly categoryId?: string | null
  /** Name of that category, as in `"Desks"` */
  readonly categoryName?: string | null
  /** Product type, as in `"Desk"` */
  readonly productType?: string | null
  /** Kind of delivery, such as physical or digital, as in `"physical"` */
  readonly productKind?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string | null
  /** Main image URL, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl?: string | null
  /** Labels, without duplicates that differ only in case, as in `["oak","office"]` */
  readonly tags?: ReadonlyArray<string>
  /** Images, videos and 3D models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media?: ReadonlyArray<Medium>
  /** Options in which the variants differ, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options?: ReadonlyArray<Option>
  /** Variants. In a patch, an item with an existing `id` keeps the fields that it omits; omitted variants are removed, as in `[{"title":"160 cm","sku":"DESK-WAL-160","price":249.5,"stock":7}]` */
  readonly variants?: ReadonlyArray<VariantInput>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs?: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Weight, in the store's unit of weight, as in `31.4` */
  readonly weight?: JsonNumber | null
  /** Dimensions, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions?: Dimensions | null
  /** Country of origin, as in `"PT"` */
  readonly countryOfOrigin?: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode?: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle?: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription?: string | null
  /** Meta description, independent of `seoDescription`, as in `"A desk of solid walnut."` */
  readonly metaDescription?: string | null
}

/** What is gone. */
export interface DeletedProduct {
  readonly id: string
  readonly deleted: true
}

/** Where a page of the list begins, and what is on it. */
export interface ListCollectionsQuery {
  /** The `nextCursor` of the page before: the id of its last row */
  readonly cursor?: string | undefined
  /** Rows of a page at most: 50 when absent; more than 200 is treated as 200. A page may hold fewer and still have a `nextCursor`: it ends early, after at least one row, when its bytes pass 1 MiB */
  readonly limit?: number | undefined
}

export interface Collection {
  readonly id: string
  /** Version number, starting at 1 and increased by 1 with every change, as in `1` */
  readonly version: number
  /** Title, trimmed, as in `"Desks of oak"` */
  readonly title: string
  /** `automated` if rules are given on creation, otherwise `manual`, as in `"automated"` */
  readonly type: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description: string | null
  /** Image URL, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl: string | null
  /** If true, the collection is visible */
  readonly isActive: boolean
  /** URL part, unique among collections; derived from the title if absent, as in `"oak-desks"` */
  readonly slug: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription: string | null
  /** false: products must satisfy every rule. true: any one rule */
  readonly disjunctive: boolean
  /** Rules that select the products of an automated collection. Without rules, no product matches, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules: ReadonlyArray<Rule>
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
  /** Current products: for an automated collection, all that match, in ascending order of id */
  readonly productIds: ReadonlyArray<string>
  /** Number of products, as in `1` */
  readonly productCount: number
}

/**
 * One condition on products. The fields and their relations:
 *
 * - `title`, `description`, `slug`, `vendorName`, `productType`, `productKind`, `category`, `categoryId`, `categoryName`, `sku`, `barcode`, `currencyCode`, `countryOfOrigin`, `tags`, `variant.title`, `variant.sku`, `variant.barcode` (text): `equals`, `contains`, `starts_with`, `ends_with`, `in`, `is_set`, `not_equals`, `not_contains`, `not_in`, `is_not_set`
 * - `price`, `discountedPrice`, `costPrice`, `stock`, `weight`, `variant.price`, `variant.stock` (number): `equals`, `not_equals`, `greater_than`, `greater_or_equal`, `less_than`, `less_or_equal`, `in`, `not_in`, `is_set`, `is_not_set`
 * - `createdAt`, `updatedAt` (time): `equals`, `not_equals`, `greater_than`, `greater_or_equal`, `less_than`, `less_or_equal`, `in`, `not_in`, `is_set`, `is_not_set`
 * - `isActive`, `onSale`, `taxable`, `trackInventory` (boolean): `equals`, `not_equals`
 * - Other names: `name` for `title`, `vendor` for `vendorName`, `type` for `productType`, `tag` for `tags`, `inventory` for `stock`
 */
export interface Rule {
  /** Field of the product. `tags` and `variant.*` match if any of their values does, as in `"tags"` */
  readonly field:
    | "title"
    | "description"
    | "slug"
    | "vendorName"
    | "productType"
    | "productKind"
    | "category"
    | "categoryId"
    | "categoryName"
    | "sku"
    | "barcode"
    | "currencyCode"
    | "countryOfOrigin"
    | "tags"
    | "price"
    | "discountedPrice"
    | "costPrice"
    | "stock"
    | "weight"
    | "variant.price"
    | "variant.stock"
    | "variant.title"
    | "variant.sku"
    | "variant.barcode"
    | "isActive"
    | "onSale"
    | "taxable"
    | "trackInventory"
    | "createdAt"
    | "updatedAt"
    | "name"
    | "vendor"
    | "type"
    | "tag"
    | "inventory"
  /** Comparison with `value`. A missing value satisfies only the negated relations, as in `"equals"` */
  readonly relation:
    | "equals"
    | "contains"
    | "starts_with"
    | "ends_with"
    | "in"
    | "is_set"
    | "not_equals"
    | "not_contains"
    | "not_in"
    | "is_not_set"
    | "greater_than"
    | "greater_or_equal"
    | "less_than"
    | "less_or_equal"
  /** Text (case is ignored), a number, a time or a boolean, depending on the field; a list of up to 250 for `in` and `not_in`; absent for `is_set` and `is_not_set`, as in `"oak"` */
  readonly value?: unknown
}

export interface CreateCollection {
  /** Title, trimmed, as in `"Desks of oak"` */
  readonly title: string
  /** `automated` if rules are given on creation, otherwise `manual`, as in `"automated"` */
  readonly type?: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description?: string | null
  /** Image URL, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl?: string | null
  /** If true, the collection is visible */
  readonly isActive?: boolean
  /** URL part, unique among collections; derived from the title if absent, as in `"oak-desks"` */
  readonly slug?: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle?: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription?: string | null
  /** false: products must satisfy every rule. true: any one rule */
  readonly disjunctive?: boolean
  /** Rules that select the products of an automated collection. Without rules, no product matches, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules?: ReadonlyArray<Rule>
  /** Product ids in order, without duplicates, at most 10,000. Computed for automated collections and ignored in their requests, as in `["019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90"]` */
  readonly productIds?: ReadonlyArray<string>
}

export interface UpdateCollection {
  /** Title, trimmed, as in `"Desks of oak"` */
  readonly title?: string
  /** `automated` if rules are given on creation, otherwise `manual`, as in `"automated"` */
  readonly type?: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description?: string | null
  /** Image URL, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl?: string | null
  /** If true, the collection is visible */
  readonly isActive?: boolean
  /** URL part, unique among collections; derived from the title if absent, as in `"oak-desks"` */
  readonly slug?: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle?: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription?: string | null
  /** false: products must satisfy every rule. true: any one rule */
  readonly disjunctive?: boolean
  /** Rules that select the products of an automated collection. Without rules, no product matches, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules?: ReadonlyArray<Rule>
  /** Product ids in order, without duplicates, at most 10,000. Computed for automated collections and ignored in their requests, as in `["019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90"]` */
  readonly productIds?: ReadonlyArray<string>
}

/** What is gone. */
export interface DeletedCollection {
  readonly id: string
  readonly deleted: true
}

/** Where a page of the list begins, and what is on it. */
export interface ListOrdersQuery {
  /** The `nextCursor` of the page before: the id of its last row */
  readonly cursor?: string | undefined
  /** Rows of a page at most: 50 when absent; more than 200 is treated as 200. A page may hold fewer and still have a `nextCursor`: it ends early, after at least one row, when its bytes pass 1 MiB */
  readonly limit?: number | undefined
  /** Only what was made or changed at this time or later, by `updatedAt`: RFC 3339 with any offset (a `+` in it is sent as `%2B`). Asked with the newest `updatedAt` that was seen, it misses nothing, and shows again what has that very time. It stays the same from page to page */
  readonly updatedSince?: string | undefined
}

export interface Order {
  readonly id: string
  /** Order number, in the merchant's words, as in `"1042"` */
  readonly number: string
  /** Status of the order, as in `"open"` */
  readonly status: "open" | "completed" | "cancelled"
  /** Payment status, in the merchant's words, as in `"paid"` */
  readonly financialStatus: string | null
  /** Fulfillment status, in the merchant's words, as in `"fulfilled"` */
  readonly fulfillmentStatus: string | null
  /** Currency of all amounts (ISO 4217), as in `"EUR"` */
  readonly currencyCode: string
  /** Sum of the line totals, as in `809.1` */
  readonly subtotal: JsonNumber
  /** Discount on the whole order, in addition to line discounts, as in `9.1` */
  readonly discount: JsonNumber
  /** Shipping cost, as in `49` */
  readonly shipping: JsonNumber
  /** Tax, added to the prices or included in them; always part of `total`, as in `161.31` */
  readonly tax: JsonNumber
  /** `subtotal` less `discount`, plus `shipping`, plus `tax` unless the prices include it, as in `1010.31` */
  readonly total: JsonNumber
  /** Customer of the store who placed the order, if known, as in `"019c1363-49c0-7c05-b1de-4a7f9e63d210"` */
  readonly customerId: string | null
  /** E-mail address of the customer, as in `"ada@example.com"` */
  readonly email: string | null
  /** Lines of the order */
  readonly lineItems: ReadonlyArray<LineItem>
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  /** Note on the order, as in `"Please ring twice."` */
  readonly note: string | null
  /** Time of the order, as in `"2026-01-31T09:12:00.000Z"` */
  readonly placedAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

/** A line of an order */
export interface LineItem {
  /** Assigned by the service */
  readonly id: string
  /** Product that was sold, if known, as in `"019c1363-49c0-7d21-9a53-5b1c6e2f8a90"` */
  readonly productId: string | null
  /** Variant of the product, as in `"019c1363-49c0-74c7-8e01-c2d94b7f1a35"` */
  readonly variantId: string | null
  /** Name of the item at the time of the order, as in `"Oak desk, 120 cm"` */
  readonly name: string
  /** Stock keeping unit, as in `"DESK-OAK-120"` */
  readonly sku: string | null
  /** Quantity, as in `2` */
  readonly quantity: number
  /** Unit price before discounts, as in `449.5` */
  readonly unitPrice: JsonNumber
  /** Discount on this line, as in `89.9` */
  readonly discount: JsonNumber
  /** `quantity` times `unitPrice`, less `discount`, as in `809.1` */
  readonly total: JsonNumber
}

/** A postal address */
export interface Address {
  /** Recipient, as in `"Ada Example"` */
  readonly name?: string | null
  /** Company, as in `"Example Books"` */
  readonly company?: string | null
  /** Street and number, as in `"1 Example Street"` */
  readonly line1?: string | null
  /** Second address line, as in `"Second floor"` */
  readonly line2?: string | null
  /** City, as in `"Porto"` */
  readonly city?: string | null
  /** Region, state or province, as in `"Norte"` */
  readonly region?: string | null
  /** Postal code, as in `"4000-001"` */
  readonly postalCode?: string | null
  /** Country, in the merchant's words, as in `"Portugal"` */
  readonly country?: string | null
  /** Phone number, as in `"+351 000 000 000"` */
  readonly phone?: string | null
  readonly [name: string]: unknown
}

/** Where a page of the list begins, and what is on it. */
export interface ListCustomersQuery {
  /** The `nextCursor` of the page before: the id of its last row */
  readonly cursor?: string | undefined
  /** Rows of a page at most: 50 when absent; more than 200 is treated as 200. A page may hold fewer and still have a `nextCursor`: it ends early, after at least one row, when its bytes pass 1 MiB */
  readonly limit?: number | undefined
  /** Only what was made or changed at this time or later, by `updatedAt`: RFC 3339 with any offset (a `+` in it is sent as `%2B`). Asked with the newest `updatedAt` that was seen, it misses nothing, and shows again what has that very time. It stays the same from page to page */
  readonly updatedSince?: string | undefined
}

export interface Customer {
  readonly id: string
  /** Name of the customer, as in `"Ada Example"` */
  readonly name: string | null
  /** E-mail address of the customer, as in `"ada@example.com"` */
  readonly email: string | null
  /** Phone number, as in `"+351 000 000 000"` */
  readonly phone: string | null
  /** Company of the customer, as in `"Example Books"` */
  readonly company: string | null
  /** Labels, without duplicates that differ only in case, as in `["regular"]` */
  readonly tags: ReadonlyArray<string>
  /** If true, the customer accepts marketing messages */
  readonly acceptsMarketing: boolean
  /** Number of the customer's orders in the store that are not cancelled, as in `3` */
  readonly ordersCount: number
  /** Sum of the totals of these orders, regardless of currency, as in `2431.2` */
  readonly totalSpent: JsonNumber
  /** Addresses of the customer */
  readonly addresses: ReadonlyArray<Address> | null
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

export interface PutAppData {
  /** Key of the entry, as in `"theme"` */
  readonly key: string
  /** Any JSON value of at most 65,536 bytes. It is returned exactly as sent */
  readonly value: unknown
  /** Seconds until the entry expires. Without it, the entry does not expire, as in `3600` */
  readonly ttlSeconds?: number
}

export interface AppDataEntry {
  /** Namespace of the entry, as in `"settings"` */
  readonly namespace: string
  /** Key of the entry, as in `"theme"` */
  readonly key: string
  /** Value as sent */
  readonly value: unknown
  /** Time of expiry; null if the entry does not expire */
  readonly expiresAt: string | null
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

/** Where a page of the list begins, and what is on it. */
export interface ListAppDataQuery {
  /** The `nextCursor` of the page before: the id of its last row, as in `"theme"` */
  readonly cursor?: string | undefined
  /** Rows of a page at most: 50 when absent; more than 200 is treated as 200. A page may hold fewer and still have a `nextCursor`: it ends early, after at least one row, when its bytes pass 1 MiB */
  readonly limit?: number | undefined
}

/** What is gone. */
export interface DeletedAppData {
  /** Namespace of the entry, as in `"settings"` */
  readonly namespace: string
  /** Key of the entry, as in `"theme"` */
  readonly key: string
  readonly deleted: true
}

/** What a write would lead to. */
export interface Rehearsal {
  /** Nothing was written */
  readonly dryRun: true
  /** Events that the write would send */
  readonly events: ReadonlyArray<{
    readonly kind: "catalog.product.updated.v1" | "catalog.collection.updated.v1"
    readonly resourceId: string
    readonly version: number
    /** Installations that would receive the event, at most 1000 */
    readonly recipients: ReadonlyArray<{ readonly installationId: string; readonly appName: string }>
  }>
  /** Changes to the collections that contain the product. Null if the write does not change a single product, or if applying the rules of the store takes longer than one second */
  readonly collections: {
    readonly entersCount: number
    readonly leavesCount: number
    /** Collections that the product would enter, the first 1000 */
    readonly enters: ReadonlyArray<{ readonly id: string; readonly title: string }>
    /** Collections that the product would leave, the first 1000 */
    readonly leaves: ReadonlyArray<{ readonly id: string; readonly title: string }>
  } | null
}
