import type { ImportKind } from "../../../domain/imports/ImportFile.ts"
import type { FileFormat } from "../../../domain/imports/ImportFiles.ts"
import type { ShopifyField } from "../../../domain/imports/ShopifyColumns.ts"
import { count } from "../../shared/data/format.ts"

const NOUNS: Record<ImportKind, string> = {
  products: "product",
  collections: "collection",
  orders: "order",
  customers: "customer"
}

/** Names of the fields of a CSV file. */
const fields: Record<ShopifyField, string> = {
  handle: "Handle",
  title: "Title",
  body: "Description",
  vendor: "Vendor",
  category: "Category",
  type: "Product type",
  tags: "Tags",
  published: "Published",
  status: "Status",
  option1Name: "Option 1 name",
  option1Value: "Option 1 value",
  option1LinkedTo: "Option 1 linked to",
  option2Name: "Option 2 name",
  option2Value: "Option 2 value",
  option2LinkedTo: "Option 2 linked to",
  option3Name: "Option 3 name",
  option3Value: "Option 3 value",
  option3LinkedTo: "Option 3 linked to",
  variantId: "Variant ID",
  sku: "SKU",
  barcode: "Barcode",
  price: "Price",
  compareAtPrice: "Compare-at price",
  cost: "Cost per item",
  quantity: "Stock",
  tracker: "Inventory tracker",
  policy: "Inventory policy",
  fulfillment: "Fulfillment service",
  requiresShipping: "Requires shipping",
  taxable: "Charge tax",
  taxCode: "Tax code",
  grams: "Weight in grams",
  weightUnit: "Weight unit",
  image: "Picture URL",
  imagePosition: "Picture position",
  imageAlt: "Picture alt text",
  variantImage: "Variant picture URL",
  giftCard: "Gift card",
  seoTitle: "SEO title",
  seoDescription: "SEO description"
}

const kinds: Record<ImportKind, string> = {
  products: "Products",
  collections: "Collections",
  orders: "Orders",
  customers: "Customers"
}

const formats: Record<FileFormat, string> = { shopify: "CSV of products", jsonl: "JSON Lines" }

/** Texts of imports and exports. */
export const importTexts = {
  title: "Import and export",
  kinds,
  choose: {
    title: "Import a file",
    hint: "CSV in the format of Shopify, or JSON Lines as an export writes them. At most 64 MiB.",
    file: "File to import",
    drop: "Or drop a file here.",
    tooLarge: "The file must be at most 64 MiB. Split it.",
    format: "Format",
    formats,
    kind: "Content",
    encoding: "Encoding",
    encodings: [
      ["utf-8", "UTF-8"],
      ["windows-1252", "Windows-1252 (Excel, Western Europe)"],
      ["utf-16le", "UTF-16"]
    ],
    replaceVariants: "Remove variants that the file leaves out",
    check: "Check file"
  },
  mapping: {
    caption: "Columns of the file",
    column: "Column",
    example: "Example",
    field: "Field",
    fieldOf: (column: string) => `Field of ${column}`,
    keep: "Keep as custom field",
    ignore: "Ignore",
    fields
  },
  running: { check: "Checking the file. Nothing changes.", import: "Importing. You can leave this page." },
  sending: "Sending the file.",
  progress: "Progress of the import",
  checked: "Result of the check",
  ended: "Result of the import",
  created: "New",
  updated: "Changed",
  unchanged: "Unchanged",
  refused: "Refused",
  refusedRows: "Refused rows",
  moreRefused: (hidden: number) => `${count(hidden, "more row")} in the download`,
  line: "Line",
  externalId: "Id in the file",
  reason: "Reason",
  downloadRefused: "Download refused rows",
  refusedFile: "refused-rows.csv",
  import: (kind: ImportKind, changed: number) => `Import ${count(changed, NOUNS[kind])}`,
  nothing: "The file changes nothing.",
  stop: "Stop import",
  undo: "Undo import",
  undone: (changed: number, refused: number) =>
    refused === 0
      ? `Import undone: ${count(changed, "change")} reverted`
      : `${count(changed, "change")} reverted. ${count(refused, "resource")} changed since and were kept`,
  export: {
    title: "Export all data of a kind",
    hint: "The file is JSON Lines, which this page imports again. Orders and customers contain personal data.",
    kind: "Data to export",
    start: "Export",
    running: (exported: number) => `${count(exported, "row")} exported`,
    failed: "The export failed. Try again.",
    done: (exported: number) => `${count(exported, "row")} exported. Your browser saves the file.`,
    file: (kind: ImportKind) => `${kind}.jsonl`
  }
} as const
