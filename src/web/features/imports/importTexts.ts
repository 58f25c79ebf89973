import { plural, select, t } from "@lingui/core/macro"
import { Struct } from "effect"
import { columnFields } from "../../../domain/catalog/ProductFieldSets.ts"
import type { DataKind } from "../../../domain/imports/DataKind.ts"
import type { FileFormat } from "../../../domain/imports/ImportFiles.ts"
import type { Delimiter } from "../../../domain/imports/Layout.ts"
import type { Decimal } from "../../../domain/imports/Numerals.ts"
import { COLUMN_OF_FIELD, type ShopifyField } from "../../../domain/imports/ShopifyTable.ts"
import { fieldTexts } from "../../shared/fieldTexts.ts"

/** Names of the fields of a CSV file. */
const fields: Record<ShopifyField, string> = {
  handle: t`Handle`,
  ...Struct.renameKeys(Struct.pick(fieldTexts, columnFields), COLUMN_OF_FIELD),
  title: t`Title`,
  category: t`Category`,
  published: t`Published`,
  status: t`Status`,
  option1Name: t`Option 1 name`,
  option1Value: t`Option 1 value`,
  option1LinkedTo: t`Option 1 linked to`,
  option2Name: t`Option 2 name`,
  option2Value: t`Option 2 value`,
  option2LinkedTo: t`Option 2 linked to`,
  option3Name: t`Option 3 name`,
  option3Value: t`Option 3 value`,
  option3LinkedTo: t`Option 3 linked to`,
  variantId: t`Variant ID`,
  sku: t`SKU`,
  barcode: t`Barcode`,
  price: t`Price`,
  compareAtPrice: t`Compare-at price`,
  regularPrice: t`Regular price`,
  salePrice: t`Sale price`,
  cost: t`Cost per item`,
  quantity: t`Stock`,
  tracker: t`Inventory tracker`,
  policy: t`Inventory policy`,
  fulfillment: t`Fulfillment service`,
  requiresShipping: t`Requires shipping`,
  taxable: t`Charge tax`,
  taxCode: t`Tax code`,
  grams: t`Weight in grams`,
  weightUnit: t`Weight unit`,
  image: t`Picture URL`,
  imagePosition: t`Picture position`,
  imageAlt: t`Picture alt text`,
  variantImage: t`Variant picture URL`,
  giftCard: t`Gift card`
}

const kinds: Record<DataKind, string> = {
  products: t`Products`,
  collections: t`Collections`,
  orders: t`Orders`,
  customers: t`Customers`
}

const formats: Record<FileFormat, string> = {
  shopify: t`CSV of Shopify`,
  csv: t`CSV of an export`,
  jsonl: t`JSON Lines`
}

const delimiters: Record<Delimiter, string> = { comma: t`Comma`, semicolon: t`Semicolon`, tab: t`Tab` }

const decimals: Record<Decimal, string> = { point: t`Point, as in 1234.5`, comma: t`Comma, as in 1234,5` }

/** Texts of imports and exports. */
export const importTexts = {
  title: t`Import and export`,
  kinds,
  choose: {
    title: t`Import a file`,
    hint: t`CSV of Shopify, or CSV or JSON Lines as an export writes them. At most 64 MiB.`,
    file: t`File to import`,
    drop: t`Or drop a file here.`,
    tooLarge: t`The file must be at most 64 MiB. Split it.`,
    format: t`Format`,
    formats,
    kind: t`Content`,
    encoding: t`Encoding`,
    encodings: [
      ["utf-8", t`UTF-8`],
      ["windows-1252", t`Windows-1252 (Excel, Western Europe)`],
      ["utf-16le", t`UTF-16`]
    ],
    delimiter: t`Delimiter`,
    delimiters,
    decimal: t`Decimal sign`,
    decimals,
    undecided: t`Not recognized`,
    replaceVariants: t`Remove variants that the file leaves out`,
    copyImages: t`Copy pictures from their web addresses into the files of the store`,
    check: t`Check file`
  },
  mapping: {
    caption: t`Columns of the file`,
    foreign: (platform: string) =>
      t`This is a product file of ${platform}. Its columns are not read by name. Choose the field of each column, one of them Title or Handle, or convert the file to Shopify's format.`,
    column: t`Column`,
    example: t`Example`,
    field: t`Field`,
    fieldOf: (column: string) => t`Field of ${column}`,
    keep: t`Keep as custom field`,
    ignore: t`Ignore`,
    recognized: (columns: number) => t`${plural(columns, { one: "# column", other: "# columns" })} recognized.`,
    showAll: t`Show all columns`,
    showOpen: t`Show columns to decide`,
    fields
  },
  running: { check: t`Checking the file. Nothing changes.`, import: t`Importing. You can leave this page.` },
  sending: t`Sending the file.`,
  progress: t`Progress of the import`,
  checked: t`Result of the check`,
  ended: t`Result of the import`,
  created: t`New`,
  updated: t`Changed`,
  unchanged: t`Unchanged`,
  refused: t`Refused`,
  copying: (copied: number) => t`${plural(copied, { one: "# picture", other: "# pictures" })} copied`,
  copied: t`Pictures copied`,
  notCopied: t`Pictures not copied`,
  notCopiedHint: t`These pictures keep their web addresses.`,
  imageUrl: t`Web address`,
  refusedRows: t`Refused rows`,
  moreRefused: (hidden: number) => t`${plural(hidden, { one: "# more row", other: "# more rows" })} in the download`,
  line: t`Line`,
  externalId: t`Id in the file`,
  reason: t`Reason`,
  downloadRefused: t`Download refused rows`,
  refusedFile: t`refused-rows.csv`,
  import: (kind: DataKind, changed: number) =>
    t`Import ${select(kind, {
      products: plural(changed, { one: "# product", other: "# products" }),
      collections: plural(changed, { one: "# collection", other: "# collections" }),
      orders: plural(changed, { one: "# order", other: "# orders" }),
      other: plural(changed, { one: "# customer", other: "# customers" })
    })}`,
  nothing: t`The file changes nothing.`,
  stop: t`Stop import`,
  undo: t`Undo import`,
  undone: (changed: number, refused: number) =>
    refused === 0
      ? t`Import undone: ${plural(changed, { one: "# change", other: "# changes" })} reverted`
      : t`${plural(changed, { one: "# change", other: "# changes" })} reverted. ${plural(refused, { one: "# resource", other: "# resources" })} changed since and were kept`,
  export: {
    title: t`Export all data of a kind`,
    kind: t`Data to export`,
    start: t`Export`
  }
} as const
