/* Made by scripts/generate-client.mjs of the definitions in src/http/api: `npm run generate`. */

import type { JsonNumber } from "../Numbers.ts"

/** What a store says of itself, and the installation that asks */
export interface Store {
  /** Which store it is */
  readonly id: string
  /** What it is called */
  readonly name: string
  /** Where the storefront is */
  readonly domain: string | null
  /** A name of the IANA time zone database */
  readonly timezone: string
  /** Its language, a tag of BCP 47 */
  readonly locale: string
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null
  /** The unit of its products' weights */
  readonly weightUnit: "kg" | "g" | "lb" | "oz"
  /** ISO 4217: the currency of its prices */
  readonly currencyCode: string
  /** How many products and collections it may hold */
  readonly plan: { readonly name: string; readonly productLimit: number; readonly collectionLimit: number }
  /** How many products it holds */
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
  /** Which subscription it is */
  readonly id: string
  /** What it pays for */
  readonly installationId: string
  /** The plan that was agreed to */
  readonly planId: string
  /** What the plan was called */
  readonly planName: string
  /** For each period, with all of its digits */
  readonly price: JsonNumber
  /** ISO 4217 */
  readonly currencyCode: string
  /** What the price is paid for, again and again */
  readonly period: "month" | "year"
  /** Whether it goes on, and is paid for yet */
  readonly state: "trialing" | "active" | "cancelled"
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly startedAt: string
  /** When the first period begins; null without a trial */
  readonly trialEndsAt: string | null
  /** When the trial ends, or the period that is paid for, as in `"2026-01-31T09:30:00.000Z"` */
  readonly periodEndsAt: string
  /** Since when it no longer goes on */
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
  /** 1 at first, one more with every change, as in `1` */
  readonly version: number
  /** What the product is called, trimmed, as in `"Walnut desk"` */
  readonly name: string
  /** Its part of an address, unique in the store; made from the name when absent, as in `"walnut-desk"` */
  readonly slug: string
  /** Price of one, in `currencyCode`, as in `249.5` */
  readonly price: JsonNumber
  /** Price while it is on sale, as in `199` */
  readonly discountedPrice: JsonNumber | null
  /** What one costs the merchant, as in `120.75` */
  readonly costPrice: JsonNumber | null
  /** How many are at hand, as in `12` */
  readonly stock: JsonNumber
  /** ISO 4217, in any case; the store's when absent, as in `"EUR"` */
  readonly currencyCode: string
  /** Whether it is offered */
  readonly isActive: boolean
  /** Whether it is offered at `discountedPrice` */
  readonly onSale: boolean
  /** Whether tax is charged */
  readonly taxable: boolean
  /** Whether `stock` is kept */
  readonly trackInventory: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description: string | null
  /** Who makes it, as in `"Northern Joinery"` */
  readonly vendorName: string | null
  /** Its category, in the merchant's words, as in `"Furniture"` */
  readonly category: string | null
  /** Its category in a taxonomy, as in `"4356"` */
  readonly categoryId: string | null
  /** The name of that category, as in `"Desks"` */
  readonly categoryName: string | null
  /** What kind of thing it is, as in `"Desk"` */
  readonly productType: string | null
  /** How it is delivered, as in `"physical"` */
  readonly productKind: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode: string | null
  /** Its main picture, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl: string | null
  /** Labels, each once whatever its case, as in `["oak","office"]` */
  readonly tags: ReadonlyArray<string>
  /** Pictures, films and models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media: ReadonlyArray<Medium>
  /** What its variants differ in, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options: ReadonlyArray<Option>
  /** Its buyable forms */
  readonly variants: ReadonlyArray<Variant>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** In the store's unit of weight, as in `31.4` */
  readonly weight: JsonNumber | null
  /** Its size, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions: Dimensions | null
  /** Where it was made, as in `"PT"` */
  readonly countryOfOrigin: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription: string | null
  /** Meta description; no alias of `seoDescription`, as in `"A desk of solid walnut."` */
  readonly metaDescription: string | null
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

/** A picture, film or model */
export interface Medium {
  /** Where it is, as in `"https://images.example.com/desk-2.jpg"` */
  readonly url: string
  /** What it is, as in `"image"` */
  readonly type?: string
  /** What it shows, for who cannot see it, as in `"The desk from above"` */
  readonly alt?: string
  /** Its place among the others */
  readonly position?: number
  readonly [name: string]: unknown
}

/** Something that the variants of a product differ in */
export interface Option {
  /** What differs, as in `"Width"` */
  readonly name: string
  /** The choices there are, as in `["120 cm","160 cm"]` */
  readonly values: ReadonlyArray<string>
  readonly [name: string]: unknown
}

/** One buyable form of a product */
export interface Variant {
  /** Given by the service */
  readonly id: string
  /** What it is called, as in `"160 cm"` */
  readonly title?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string
  /** Price of one, in the product's `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Price while it is on sale, as in `199` */
  readonly discountedPrice?: JsonNumber
  /** What one costs the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber
  /** How many are at hand, as in `7` */
  readonly stock?: JsonNumber
  /** Its choice of each option, by the option's name, as in `{"Width":"160 cm"}` */
  readonly options?: { readonly [name: string]: string }
  readonly [name: string]: unknown
}

/** A question that customers ask, and its answer */
export interface Faq {
  /** What customers ask, as in `"Does it come assembled?"` */
  readonly question: string
  /** What the shop answers, as in `"The legs go on with four screws."` */
  readonly answer: string
  readonly [name: string]: unknown
}

/** The size of a product */
export interface Dimensions {
  /** From front to back, or its longest side, as in `160` */
  readonly length?: JsonNumber
  /** From side to side, as in `80` */
  readonly width?: JsonNumber
  /** From bottom to top, as in `74` */
  readonly height?: JsonNumber
  /** The unit of all three, as in `"cm"` */
  readonly unit?: string
  readonly [name: string]: unknown
}

export interface CreateProduct {
  /** What the product is called, trimmed, as in `"Walnut desk"` */
  readonly name: string
  /** Its part of an address, unique in the store; made from the name when absent, as in `"walnut-desk"` */
  readonly slug?: string
  /** Price of one, in `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Price while it is on sale, as in `199` */
  readonly discountedPrice?: JsonNumber | null
  /** What one costs the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber | null
  /** How many are at hand, as in `12` */
  readonly stock?: JsonNumber
  /** ISO 4217, in any case; the store's when absent, as in `"EUR"` */
  readonly currencyCode?: string
  /** Whether it is offered */
  readonly isActive?: boolean
  /** Whether it is offered at `discountedPrice` */
  readonly onSale?: boolean
  /** Whether tax is charged */
  readonly taxable?: boolean
  /** Whether `stock` is kept */
  readonly trackInventory?: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description?: string | null
  /** Who makes it, as in `"Northern Joinery"` */
  readonly vendorName?: string | null
  /** Its category, in the merchant's words, as in `"Furniture"` */
  readonly category?: string | null
  /** Its category in a taxonomy, as in `"4356"` */
  readonly categoryId?: string | null
  /** The name of that category, as in `"Desks"` */
  readonly categoryName?: string | null
  /** What kind of thing it is, as in `"Desk"` */
  readonly productType?: string | null
  /** How it is delivered, as in `"physical"` */
  readonly productKind?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string | null
  /** Its main picture, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl?: string | null
  /** Labels, each once whatever its case, as in `["oak","office"]` */
  readonly tags?: ReadonlyArray<string>
  /** Pictures, films and models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media?: ReadonlyArray<Medium>
  /** What its variants differ in, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options?: ReadonlyArray<Option>
  /** Its buyable forms. In a patch, an item whose `id` exists keeps the fields it does not name; one left out is removed, as in `[{"title":"160 cm","sku":"DESK-WAL-160","price":249.5,"stock":7}]` */
  readonly variants?: ReadonlyArray<VariantInput>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs?: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** In the store's unit of weight, as in `31.4` */
  readonly weight?: JsonNumber | null
  /** Its size, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions?: Dimensions | null
  /** Where it was made, as in `"PT"` */
  readonly countryOfOrigin?: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode?: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle?: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription?: string | null
  /** Meta description; no alias of `seoDescription`, as in `"A desk of solid walnut."` */
  readonly metaDescription?: string | null
}

/** One buyable form of a product, as it is written */
export interface VariantInput {
  /** In a patch, which variant is meant. Any value is taken; one that is no id of a variant of the product makes a new variant, with an id that the service gives */
  readonly id?: unknown
  /** What it is called, as in `"160 cm"` */
  readonly title?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string
  /** Price of one, in the product's `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Price while it is on sale, as in `199` */
  readonly discountedPrice?: JsonNumber
  /** What one costs the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber
  /** How many are at hand, as in `7` */
  readonly stock?: JsonNumber
  /** Its choice of each option, by the option's name, as in `{"Width":"160 cm"}` */
  readonly options?: { readonly [name: string]: string }
  readonly [name: string]: unknown
}

export interface SetInventory {
  /** How many are at hand from now on, as in `20` */
  readonly stock?: JsonNumber
  /** How many more there are, or fewer, as in `-2` */
  readonly adjust?: JsonNumber
  /** The variant that is meant; else the product itself */
  readonly variantId?: string
  /** How many there must be for this to be done, as in `12` */
  readonly expectedStock?: JsonNumber
  /** Why, for the journal, as in `"Two were broken"` */
  readonly reason?: string
}

export interface UpdateProduct {
  /** What the product is called, trimmed, as in `"Walnut desk"` */
  readonly name?: string
  /** Its part of an address, unique in the store; made from the name when absent, as in `"walnut-desk"` */
  readonly slug?: string
  /** Price of one, in `currencyCode`, as in `249.5` */
  readonly price?: JsonNumber
  /** Price while it is on sale, as in `199` */
  readonly discountedPrice?: JsonNumber | null
  /** What one costs the merchant, as in `120.75` */
  readonly costPrice?: JsonNumber | null
  /** How many are at hand, as in `12` */
  readonly stock?: JsonNumber
  /** ISO 4217, in any case; the store's when absent, as in `"EUR"` */
  readonly currencyCode?: string
  /** Whether it is offered */
  readonly isActive?: boolean
  /** Whether it is offered at `discountedPrice` */
  readonly onSale?: boolean
  /** Whether tax is charged */
  readonly taxable?: boolean
  /** Whether `stock` is kept */
  readonly trackInventory?: boolean
  /** Text or HTML, kept as sent, as in `"Solid walnut, oiled by hand."` */
  readonly description?: string | null
  /** Who makes it, as in `"Northern Joinery"` */
  readonly vendorName?: string | null
  /** Its category, in the merchant's words, as in `"Furniture"` */
  readonly category?: string | null
  /** Its category in a taxonomy, as in `"4356"` */
  readonly categoryId?: string | null
  /** The name of that category, as in `"Desks"` */
  readonly categoryName?: string | null
  /** What kind of thing it is, as in `"Desk"` */
  readonly productType?: string | null
  /** How it is delivered, as in `"physical"` */
  readonly productKind?: string
  /** Stock keeping unit; not unique, as in `"DESK-WAL-160"` */
  readonly sku?: string | null
  /** GTIN, EAN, UPC or ISBN, as in `"4006381333931"` */
  readonly barcode?: string | null
  /** Its main picture, as in `"https://images.example.com/desk.jpg"` */
  readonly imageUrl?: string | null
  /** Labels, each once whatever its case, as in `["oak","office"]` */
  readonly tags?: ReadonlyArray<string>
  /** Pictures, films and models, as in `[{"url":"https://images.example.com/desk-2.jpg"}]` */
  readonly media?: ReadonlyArray<Medium>
  /** What its variants differ in, as in `[{"name":"Width","values":["120","160"]}]` */
  readonly options?: ReadonlyArray<Option>
  /** Its buyable forms. In a patch, an item whose `id` exists keeps the fields it does not name; one left out is removed, as in `[{"title":"160 cm","sku":"DESK-WAL-160","price":249.5,"stock":7}]` */
  readonly variants?: ReadonlyArray<VariantInput>
  /** Questions and answers, as in `[{"question":"Assembled?","answer":"In four screws."}]` */
  readonly faqs?: ReadonlyArray<Faq>
  /** Opaque to the service, kept as sent, as in `{"care":{"oil":"yearly"}}` */
  readonly metafields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** Opaque to the service, kept as sent, as in `[{"key":"engraving","value":"yes"}]` */
  readonly customFields?: { readonly [name: string]: unknown } | ReadonlyArray<{ readonly [name: string]: unknown }>
  /** In the store's unit of weight, as in `31.4` */
  readonly weight?: JsonNumber | null
  /** Its size, as in `{"length":160,"width":80,"height":74,"unit":"cm"}` */
  readonly dimensions?: Dimensions | null
  /** Where it was made, as in `"PT"` */
  readonly countryOfOrigin?: string | null
  /** Harmonized System code for customs, as in `"940330"` */
  readonly hsCode?: string | null
  /** Title for search engines, as in `"Walnut desk, 160 cm"` */
  readonly seoTitle?: string | null
  /** Description for search engines, as in `"A desk of solid walnut."` */
  readonly seoDescription?: string | null
  /** Meta description; no alias of `seoDescription`, as in `"A desk of solid walnut."` */
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
  /** 1 at first, one more with every change, as in `1` */
  readonly version: number
  /** What the collection is called, trimmed, as in `"Desks of oak"` */
  readonly title: string
  /** `automated` when rules are given on create, else `manual`, as in `"automated"` */
  readonly type: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description: string | null
  /** Its picture, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl: string | null
  /** Whether it is shown */
  readonly isActive: boolean
  /** Its part of an address, unique among collections; made from the title when absent, as in `"oak-desks"` */
  readonly slug: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription: string | null
  /** false: a product must satisfy every rule. true: any of them */
  readonly disjunctive: boolean
  /** What an automated collection holds; no rules match nothing, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules: ReadonlyArray<Rule>
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
  /** The products it holds at this moment: of an automated collection, all that match, in order of id */
  readonly productIds: ReadonlyArray<string>
  /** How many products it holds, as in `1` */
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
  /** What of a product is looked at. `tags` and `variant.*` hold when any of the values does, as in `"tags"` */
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
  /** How it is compared. A missing value satisfies only the negated relations, as in `"equals"` */
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
  /** Text (case is ignored), a number, a time or a boolean, as the field is; a list of up to 250 for `in` and `not_in`; none for `is_set` and `is_not_set`, as in `"oak"` */
  readonly value?: unknown
}

export interface CreateCollection {
  /** What the collection is called, trimmed, as in `"Desks of oak"` */
  readonly title: string
  /** `automated` when rules are given on create, else `manual`, as in `"automated"` */
  readonly type?: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description?: string | null
  /** Its picture, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl?: string | null
  /** Whether it is shown */
  readonly isActive?: boolean
  /** Its part of an address, unique among collections; made from the title when absent, as in `"oak-desks"` */
  readonly slug?: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle?: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription?: string | null
  /** false: a product must satisfy every rule. true: any of them */
  readonly disjunctive?: boolean
  /** What an automated collection holds; no rules match nothing, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules?: ReadonlyArray<Rule>
  /** The products, in order, each once, at most 10,000. Computed for automated collections, where a body's are ignored, as in `["019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90"]` */
  readonly productIds?: ReadonlyArray<string>
}

export interface UpdateCollection {
  /** What the collection is called, trimmed, as in `"Desks of oak"` */
  readonly title?: string
  /** `automated` when rules are given on create, else `manual`, as in `"automated"` */
  readonly type?: "manual" | "automated"
  /** Text or HTML, kept as sent, as in `"Everything with an oak top."` */
  readonly description?: string | null
  /** Its picture, as in `"https://images.example.com/oak.jpg"` */
  readonly imageUrl?: string | null
  /** Whether it is shown */
  readonly isActive?: boolean
  /** Its part of an address, unique among collections; made from the title when absent, as in `"oak-desks"` */
  readonly slug?: string
  /** Title for search engines, as in `"Oak desks"` */
  readonly seoTitle?: string | null
  /** Meta description, as in `"Desks with an oak top."` */
  readonly metaDescription?: string | null
  /** false: a product must satisfy every rule. true: any of them */
  readonly disjunctive?: boolean
  /** What an automated collection holds; no rules match nothing, as in `[{"field":"tags","relation":"equals","value":"oak"}]` */
  readonly rules?: ReadonlyArray<Rule>
  /** The products, in order, each once, at most 10,000. Computed for automated collections, where a body's are ignored, as in `["019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90"]` */
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
  /** Its number, in the merchant's words, as in `"1042"` */
  readonly number: string
  /** How far it has come, as in `"open"` */
  readonly status: "open" | "completed" | "cancelled"
  /** How far it is paid, in the merchant's words, as in `"paid"` */
  readonly financialStatus: string | null
  /** How far it is sent, in the merchant's words, as in `"fulfilled"` */
  readonly fulfillmentStatus: string | null
  /** Currency of its amounts, ISO 4217, as in `"EUR"` */
  readonly currencyCode: string
  /** The sum of the lines' totals, as in `809.1` */
  readonly subtotal: JsonNumber
  /** What is taken off the whole order, beyond the lines' discounts, as in `9.1` */
  readonly discount: JsonNumber
  /** What sending it costs, as in `49` */
  readonly shipping: JsonNumber
  /** Tax: part of `total` in any case, on top of the prices or within them, as in `161.31` */
  readonly tax: JsonNumber
  /** `subtotal` less `discount`, and `shipping`; and `tax`, unless the prices hold it, as in `1010.31` */
  readonly total: JsonNumber
  /** Who ordered, if that is a customer of the store, as in `"019c1363-49c0-7c05-b1de-4a7f9e63d210"` */
  readonly customerId: string | null
  /** Where the customer is written to, as in `"ada@example.com"` */
  readonly email: string | null
  /** What was ordered */
  readonly lineItems: ReadonlyArray<LineItem>
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  /** What is to be known about the order, as in `"Please ring twice."` */
  readonly note: string | null
  /** When it was ordered, as in `"2026-01-31T09:12:00.000Z"` */
  readonly placedAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

/** A line of an order */
export interface LineItem {
  /** Given by the service */
  readonly id: string
  /** The product that was sold, where it is known, as in `"019c1363-49c0-7d21-9a53-5b1c6e2f8a90"` */
  readonly productId: string | null
  /** Its variant, as in `"019c1363-49c0-74c7-8e01-c2d94b7f1a35"` */
  readonly variantId: string | null
  /** What was sold, as it was called then, as in `"Oak desk, 120 cm"` */
  readonly name: string
  /** Stock keeping unit, as in `"DESK-OAK-120"` */
  readonly sku: string | null
  /** How many, as in `2` */
  readonly quantity: number
  /** Price of one, before discounts, as in `449.5` */
  readonly unitPrice: JsonNumber
  /** What is taken off this line, as in `89.9` */
  readonly discount: JsonNumber
  /** `quantity` times `unitPrice`, less `discount`, as in `809.1` */
  readonly total: JsonNumber
}

/** A postal address */
export interface Address {
  /** Who is there, as in `"Ada Example"` */
  readonly name?: string | null
  /** At which company, as in `"Example Books"` */
  readonly company?: string | null
  /** Street and number, as in `"1 Example Street"` */
  readonly line1?: string | null
  /** What stands below it, as in `"Second floor"` */
  readonly line2?: string | null
  /** City, as in `"Porto"` */
  readonly city?: string | null
  /** Region, state or province, as in `"Norte"` */
  readonly region?: string | null
  /** Postal code, as in `"4000-001"` */
  readonly postalCode?: string | null
  /** Country, in the merchant's words, as in `"Portugal"` */
  readonly country?: string | null
  /** Telephone, as in `"+351 000 000 000"` */
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
  /** What the customer is called, as in `"Ada Example"` */
  readonly name: string | null
  /** Where the customer is written to, as in `"ada@example.com"` */
  readonly email: string | null
  /** Telephone, as in `"+351 000 000 000"` */
  readonly phone: string | null
  /** For which company the customer buys, as in `"Example Books"` */
  readonly company: string | null
  /** Labels, each once whatever its case, as in `["regular"]` */
  readonly tags: ReadonlyArray<string>
  /** Whether the customer wants to be written to */
  readonly acceptsMarketing: boolean
  /** Orders of this customer that the store holds and that are not cancelled, as in `3` */
  readonly ordersCount: number
  /** The sum of their totals, whatever their currencies, as in `2431.2` */
  readonly totalSpent: JsonNumber
  /** Where the customer lives, or wants things sent */
  readonly addresses: ReadonlyArray<Address> | null
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly createdAt: string
  /** RFC 3339 in UTC with milliseconds, as in `"2026-01-31T09:30:00.000Z"` */
  readonly updatedAt: string
}

export interface PutAppData {
  /** The key of the entry, as in `"theme"` */
  readonly key: string
  /** Any JSON, of at most 65,536 bytes. It comes back as it was sent, to the letter */
  readonly value: unknown
  /** When the entry ends by itself. Without it, it stays, as in `3600` */
  readonly ttlSeconds?: number
}

export interface AppDataEntry {
  /** A name that entries are kept under, as in `"settings"` */
  readonly namespace: string
  /** The key of the entry, as in `"theme"` */
  readonly key: string
  /** As it was sent */
  readonly value: unknown
  /** When it ends by itself; null where it stays */
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
  /** A name that entries are kept under, as in `"settings"` */
  readonly namespace: string
  /** The key of the entry, as in `"theme"` */
  readonly key: string
  readonly deleted: true
}

/** What a write would lead to. */
export interface Rehearsal {
  /** Nothing was written */
  readonly dryRun: true
  /** The events that the write would send */
  readonly events: ReadonlyArray<{
    readonly kind: "catalog.product.updated.v1" | "catalog.collection.updated.v1"
    readonly resourceId: string
    readonly version: number
    /** The installations that would be told, at most 1000 of them */
    readonly recipients: ReadonlyArray<{ readonly installationId: string; readonly appName: string }>
  }>
  /** What the write would change of the collections that hold the product. Null where it does not change one product, or the rules of the store take longer than a second to be applied to it */
  readonly collections: {
    readonly entersCount: number
    readonly leavesCount: number
    /** The collections that the product would enter, the first 1000 of them */
    readonly enters: ReadonlyArray<{ readonly id: string; readonly title: string }>
    /** The collections that the product would leave, the first 1000 of them */
    readonly leaves: ReadonlyArray<{ readonly id: string; readonly title: string }>
  } | null
}
