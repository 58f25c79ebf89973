import type { JsonObject } from "../json/Json.ts"
import { isSet, makeColumns, type ShopifyRow } from "./ShopifyColumns.ts"

/*
 * Converts product exports of Shopify to products of the API. docs/import.md describes each column. This module does
 * not validate: a cell with an invalid number stays text, and the product is rejected later.
 */

/** Parses a numeric cell. Returns invalid text unchanged. */
const numberOf = (cell: string): unknown => (isSet(cell) && Number.isFinite(Number(cell)) ? Number(cell) : cell)

const FLAGS = new Map<string, boolean>([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false]
])

/** Parses a boolean cell. Returns invalid text unchanged. */
const flagOf = (cell: string): unknown => FLAGS.get(cell.toLowerCase()) ?? cell

/** Builds an object without undefined members. */
const objectOf = (members: ReadonlyArray<readonly [name: string, value: unknown]>): JsonObject =>
  Object.fromEntries(members.filter(([, value]) => value !== undefined))

const GRAMS = new Map([
  ["g", 1],
  ["kg", 1000],
  ["oz", 28.349523125],
  ["lb", 453.59237]
])

/** Converts grams to the display unit of the shop, rounded to four decimals. */
const weightOf = (grams: string, unit: string): unknown => {
  if (!isSet(grams) || Number(grams) === 0) return null
  const weight = Number(grams) / (GRAMS.get(unit.toLowerCase()) ?? 1000)
  return Number.isFinite(weight) ? Math.round(weight * 10_000) / 10_000 : grams
}

/** Returns the non-empty cells of the given columns with their column names. */
const cellsOf = (row: ShopifyRow, columns: ReadonlyArray<string>) =>
  columns.flatMap((column) => {
    const text = row[column] ?? ""
    return isSet(text) ? [[column, text] as const] : []
  })

const METAFIELD = /\(product\.metafields\.([^.()]+)\.([^()]+)\)\s*$/

/** Option value, in lower case, of the only variant of a product without options. */
const DEFAULT_VALUE = "default title"

const PLACES = [1, 2, 3] as const

/** Tests whether the columns identify products. */
export const isShopify = (header: ReadonlyArray<string>): boolean => {
  const { has } = makeColumns(header)
  return has("handle") || has("title")
}

/**
 * Creates a reader for files with these columns. Products without a handle are identified by the slug of their title.
 */
export const makeShopify = (header: ReadonlyArray<string>, slugOf: (name: string) => string) => {
  const { cell, has, unknown } = makeColumns(header)

  /** Returns null for an empty cell, which clears the field, and undefined for an absent column, which keeps it. */
  const readCell = (
    row: ShopifyRow,
    field: Parameters<typeof has>[0],
    read: (cell: string) => unknown = (text) => text
  ) => {
    if (!has(field)) return undefined
    const text = cell(row, field)
    return isSet(text) ? read(text) : null
  }

  const readFilledCell = (
    row: ShopifyRow,
    field: Parameters<typeof has>[0],
    read: (cell: string) => unknown = (text) => text
  ) => readCell(row, field, read) ?? undefined

  const isVariant = (row: ShopifyRow) =>
    isSet(cell(row, "price")) || isSet(cell(row, "sku")) || PLACES.some((n) => isSet(cell(row, `option${n}Value`)))

  /** Converts `compareAtPrice`, the regular price at Shopify, to `price` with a `discountedPrice`. */
  const pricesOf = (row: ShopifyRow) => {
    const [price, compared] = [readFilledCell(row, "price", numberOf), readFilledCell(row, "compareAtPrice", numberOf)]
    return typeof price === "number" && typeof compared === "number" && compared > price
      ? { price: compared, discountedPrice: price }
      : { price, compareAtPrice: compared }
  }

  /** Replaces a negative stock, which Shopify allows, by 0. */
  const stockOf = (row: ShopifyRow): unknown => {
    const stock = readFilledCell(row, "quantity", numberOf)
    return typeof stock === "number" ? Math.max(stock, 0) : stock
  }

  /** Returns variant values that have no field in this API. */
  const extrasOf = (row: ShopifyRow) => {
    const quantity = readFilledCell(row, "quantity", numberOf)
    return [
      ["compareAtPrice", pricesOf(row).compareAtPrice],
      ["inventoryQuantity", quantity === stockOf(row) ? undefined : quantity],
      ["inventoryTracker", readFilledCell(row, "tracker")],
      ["inventoryPolicy", readFilledCell(row, "policy")],
      ["fulfillmentService", readFilledCell(row, "fulfillment")],
      ["requiresShipping", readFilledCell(row, "requiresShipping", flagOf)],
      ["taxable", readFilledCell(row, "taxable", flagOf)],
      ["taxCode", readFilledCell(row, "taxCode")],
      ["grams", readFilledCell(row, "grams", numberOf)],
      ["weightUnit", readFilledCell(row, "weightUnit")],
      ["imageUrl", readFilledCell(row, "variantImage")]
    ] as const
  }

  /** Returns the unknown columns that have values in further rows, and so belong to rows instead of the product. */
  const ofRows = (furtherRows: ReadonlyArray<ShopifyRow>) =>
    unknown.filter((column) => furtherRows.some((row) => isSet(row[column] ?? "")))

  const productOf = (rows: ReadonlyArray<ShopifyRow>): JsonObject => {
    const [first = {}, ...furtherRows] = rows
    const eachRow = ofRows(furtherRows)
    const matching = rows.filter(isVariant)
    const variantRows = matching.length === 0 ? [first] : matching
    const [main = first] = variantRows
    const isPlain =
      variantRows.length === 1 && ["", DEFAULT_VALUE].includes(cell(main, "option1Value").trim().toLowerCase())

    const options = isPlain
      ? []
      : PLACES.flatMap((n) => {
          const values = [...new Set(variantRows.map((row) => cell(row, `option${n}Value`)).filter(isSet))]
          const textOf = (field: `option${typeof n}Name` | `option${typeof n}LinkedTo`) =>
            rows.map((row) => cell(row, field)).find(isSet)
          const linkedTo = textOf(`option${n}LinkedTo`)
          return values.length === 0
            ? []
            : [{ n, name: textOf(`option${n}Name`) ?? `Option ${n}`, values, ...(linkedTo && { linkedTo }) }]
        })
    const variants = variantRows.map((row) => {
      const choices = options.map(({ n, name }) => [name, cell(row, `option${n}Value`)] as const)
      return objectOf([
        ["title", choices.map(([, value]) => value).join(" / ")],
        ["options", Object.fromEntries(choices)],
        ["sku", readFilledCell(row, "sku")],
        ["barcode", readFilledCell(row, "barcode")],
        ["price", pricesOf(row).price],
        ["discountedPrice", pricesOf(row).discountedPrice],
        ["costPrice", readFilledCell(row, "cost", numberOf)],
        ["stock", stockOf(row)],
        ...extrasOf(row),
        ...cellsOf(row, eachRow)
      ])
    })

    const images = new Map<string, JsonObject & { readonly position: unknown }>()
    for (const [index, row] of rows.entries()) {
      const url = cell(row, "image")
      if (!isSet(url) || images.has(url)) continue
      const position = readFilledCell(row, "imagePosition", numberOf) ?? index + 1
      const alt = readFilledCell(row, "imageAlt")
      images.set(url, {
        url,
        type: "image",
        position,
        ...(alt === undefined ? {} : { alt }),
        ...(isVariant(row) ? {} : Object.fromEntries(cellsOf(row, eachRow)))
      })
    }
    const media = [...images.values()].toSorted((a, b) => Number(a.position) - Number(b.position))

    const metafields = new Map<string, Map<string, string>>()
    const customFields: Array<JsonObject> = []
    for (const [column, value] of cellsOf(
      first,
      unknown.filter((column) => !eachRow.includes(column))
    )) {
      const [, namespace, key] = METAFIELD.exec(column) ?? []
      if (namespace === undefined || key === undefined) customFields.push({ key: column, value })
      else metafields.set(namespace, (metafields.get(namespace) ?? new Map<string, string>()).set(key, value))
    }
    if (isPlain) {
      for (const [key, value] of extrasOf(main)) if (value !== undefined) customFields.push({ key, value })
    }
    const status = cell(first, "status").toLowerCase()
    if (isSet(status) && status !== "active") customFields.push({ key: "status", value: status })

    const handle = cell(first, "handle")
    const stocks = variants.flatMap(({ stock }) => (typeof stock === "number" ? [stock] : []))
    const isPublished = readFilledCell(first, "published", flagOf)
    const category = readCell(first, "category")
    const isGiftCard = readFilledCell(first, "giftCard", flagOf) === true
    const { discountedPrice = null, price } = pricesOf(main)
    const isSent = readFilledCell(main, "requiresShipping", flagOf) !== false
    return objectOf([
      ["externalId", handle || slugOf(cell(first, "title"))],
      ["slug", slugOf(handle) === handle && handle !== "" ? handle : undefined],
      ["name", readFilledCell(first, "title")],
      ["description", readCell(first, "body")],
      ["vendorName", readCell(first, "vendor")],
      ["productType", readCell(first, "type")],
      ["category", typeof category === "string" ? category.split(">").at(-1)?.trim() : category],
      ["categoryName", category],
      [
        "tags",
        has("tags")
          ? cell(first, "tags")
              .split(",")
              .map((tag) => tag.trim())
              .filter(isSet)
          : undefined
      ],
      ["isActive", isSet(status) ? status === "active" && isPublished !== false : isPublished],
      ["productKind", isGiftCard ? "gift_card" : isSent ? undefined : "digital"],
      ["price", price],
      ["discountedPrice", has("compareAtPrice") ? discountedPrice : undefined],
      ["onSale", has("compareAtPrice") ? discountedPrice !== null : undefined],
      ["costPrice", readCell(main, "cost", numberOf)],
      ["stock", stocks.length === 0 ? stockOf(main) : stocks.reduce((sum, stock) => sum + stock, 0)],
      ["sku", isPlain ? readCell(main, "sku") : undefined],
      ["barcode", isPlain ? readCell(main, "barcode") : undefined],
      ["trackInventory", has("tracker") ? isSet(cell(main, "tracker")) : undefined],
      ["taxable", readFilledCell(main, "taxable", flagOf)],
      ["weight", has("grams") ? weightOf(cell(main, "grams"), cell(main, "weightUnit")) : undefined],
      ["imageUrl", has("image") ? (media[0]?.["url"] ?? null) : undefined],
      ["media", has("image") ? media : undefined],
      ["options", options.map(({ n: _, ...option }) => option)],
      ["variants", isPlain ? [] : variants],
      ["seoTitle", readCell(first, "seoTitle")],
      ["seoDescription", readCell(first, "seoDescription")],
      ["metafields", Object.fromEntries([...metafields].map(([name, fields]) => [name, Object.fromEntries(fields)]))],
      ["customFields", customFields]
    ])
  }

  /** Returns the product key of a row, or undefined if the row continues the previous product. */
  const keyOf = (row: ShopifyRow): string | undefined => cell(row, "handle") || slugOf(cell(row, "title")) || undefined

  return { keyOf, productOf }
}
