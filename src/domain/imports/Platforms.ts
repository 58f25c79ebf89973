/*
 * Product files of other platforms. Their columns have names that Shopify's files have too, with other meanings: `Price`
 * is the regular price beside a sale price, or in another currency, and `Type` is the kind of a row.
 */

/** Tests the names of all columns, in order. */
type Signature = ReadonlyArray<string> | ((names: ReadonlyArray<string>) => boolean)

/** Names of columns that only files of a platform have together, in lower case with spaces for underscores. */
const SIGNATURES: Readonly<Record<string, ReadonlyArray<Signature>>> = {
  Amazon: [
    ([first = ""]) => first.startsWith("templatetype="),
    ["item sku", "item name", "standard price"],
    ["seller-sku", "asin1"]
  ],
  BigCommerce: [
    ["item", "inventory tracking", "current stock"],
    ["item type", "product code/sku"]
  ],
  Ecwid: [
    ["type", "product internal id", "product name"],
    ["type", "product sku", "product compare to price"]
  ],
  Etsy: [
    ["title", "currency code", "quantity", "materials", "image1"],
    // The other names are translated.
    (names) => names.length === 24 && names[3] === "currency code" && names[23] === "sku"
  ],
  "Google Merchant Center": [["id", "title", "image link", "availability"]],
  Lightspeed: [
    ["handle", "supply price", "variant option one name"],
    ["variant - price", "variant - old price"],
    ["system id", "matrix description"]
  ],
  Magento: [["sku", "attribute set code", "product type"]],
  Medusa: [["product handle", "product title", "variant title"]],
  OpenCart: [["product id", "model", "subtract"]],
  PrestaShop: [
    ["active (0/1)", "name *"],
    ["active (0/1)", "reference #"],
    ["product id*", "attribute (name:type:position)*"]
  ],
  Shopware: [["product number", "parent id", "price gross"]],
  Square: [
    ["item name", "variation name", "token"],
    ["item name", "variation name", "price"],
    ["item name", "variation name", "item id"]
  ],
  Squarespace: [["product url", "hosted image urls"]],
  Wix: [
    ["handleid", "fieldtype"],
    ["handle", "fieldtype", "plaindescription"]
  ],
  WooCommerce: [
    ["type", "name", "regular price"],
    ["type", "name", "visibility in catalog"],
    ["type", "name", "attribute 1 name"],
    ["typ", "name", "regulärer preis"]
  ]
}

/** Normalizes the name of a column. Feeds of Google write spaces or underscores, and a prefix. */
const normalize = (name: string) =>
  name
    .replace(/^[\uFEFF\s"]+|[\s"]+$/g, "")
    .toLowerCase()
    .replaceAll("_", " ")
    .replace(/^g:/, "")

/** Finds the platform whose product files have this header. Shopify is not one of them. */
export const findPlatform = (header: ReadonlyArray<string>): string | undefined => {
  const names = header.map(normalize)
  // Files with other delimiters than commas.
  const known = new Set([...names, ...header.join(",").split(/[;\t]/).map(normalize)])
  const matches = (signature: Signature) =>
    typeof signature === "function" ? signature(names) : signature.every((name) => known.has(name))
  return Object.keys(SIGNATURES).find((platform) => SIGNATURES[platform]?.some(matches))
}
