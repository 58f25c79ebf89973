import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPlatform } from "../../../src/domain/imports/Platforms.ts"
import { csvScene, linesOf, pick } from "../../support/data/Imports.ts"
import { cli } from "../../support/process/Cli.ts"

/** Headers of product files, shortened. */
const HEADERS: ReadonlyArray<readonly [platform: string, header: string]> = [
  ["Amazon", "TemplateType=fptcustom\tVersion=2024.0501\tThe top 3 rows are for Amazon.com use only."],
  ["Amazon", "feed_product_type\titem_sku\tbrand_name\titem_name\tstandard_price\tquantity"],
  ["BigCommerce", "Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Price,Sale Price"],
  ["BigCommerce", "Item Type,Product ID,Product Name,Product Code/SKU,Price,Product Visible?"],
  ["Ecwid", "type,product_internal_id,product_sku,product_name,product_price,product_compare_to_price"],
  ["Etsy", "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,IMAGE2,SKU"],
  [
    "Etsy",
    "TITOLO,DESCRIZIONE,PREZZO,CURRENCY_CODE,QUANTITÀ,TAG,MATERIALI,IMMAGINE1,IMMAGINE2,IMMAGINE3,IMMAGINE4,IMMAGINE5,IMMAGINE6,IMMAGINE7,IMMAGINE8,IMMAGINE9,IMMAGINE10,TIPO VARIANTE 1,NOME VARIANTE 1,VALORI VARIANTE 1,TIPO VARIANTE 2,NOME VARIANTE 2,VALORI VARIANTE 2,SKU"
  ],
  ["Google Merchant Center", "id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price"],
  ["Google Merchant Center", "g:id,g:title,g:image link,g:availability,g:price"],
  ["Lightspeed", "id,handle,sku,name,variant_option_one_name,variant_option_one_value,supply_price,retail_price"],
  ["Magento", "sku,store_view_code,attribute_set_code,product_type,categories,name,price,special_price"],
  ["Medusa", "Product Id,Product Handle,Product Title,Product Status,Variant Title,Variant Sku,Variant Price EUR"],
  ["OpenCart", "product_id,name(en-gb),categories,sku,quantity,model,price,status,subtract"],
  ["PrestaShop", "Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Reference #"],
  ["PrestaShop", "Product ID*;Attribute (Name:Type:Position)*;Value (Value:Position)*;Quantity"],
  ["Shopware", "id;parent_id;product_number;active;stock;name;price_net;price_gross"],
  ["Square", "\uFEFFReference Handle,Token,Item Name,Variation Name,SKU,Description,Price"],
  [
    "Squarespace",
    '"Product ID [Non Editable]","Product URL","Title","Description","SKU","Price","Visible","Hosted Image URLs"'
  ],
  ["Wix", "handleId,fieldType,name,description,productImageUrl,price,surcharge,visible"],
  ["Wix", "handle,fieldType,name,visible,plainDescription,media,price,strikethroughPrice"],
  ["WooCommerce", "ID,Type,SKU,Name,Published,Visibility in catalog,Sale price,Regular price"]
]

it("a header of another platform is recognized, and one with columns of Shopify is not", () => {
  for (const [platform, header] of HEADERS) {
    assert.strictEqual(findPlatform(header.split(",")), platform, header)
    assert.strictEqual(findPlatform(header.split(/[,;\t]/)), platform, header)
  }
  for (const header of [
    "Handle,Title,Variant Price",
    "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Status",
    "Title,URL handle,Description,Vendor,Product category,Type,Tags,Status,SKU,Barcode,Price,Compare-at price",
    "Title,Description,Price,Currency_code,Quantity,SKU",
    "id,title,price,availability",
    "Title,Type,Price,Sale price,Regular price"
  ]) {
    assert.isUndefined(findPlatform(header.split(",")), header)
  }
})

const ETSY = linesOf(
  "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,SKU",
  "Thimble,Small,24.00,USD,3,cup,,https://i.example.com/1.jpg,T-1"
)

it.live("a file of another platform is named and refused, and read with a mapping of its columns only", () =>
  Effect.gen(function* () {
    const { importCsv, products, save, storeId, url } = yield* csvScene
    const bring = (...args: ReadonlyArray<string>) =>
      cli(url, "import", "products", "--store", storeId, "--format", "shopify", "--file", save(ETSY), ...args)
    for (const args of [[], ["--mapping", '{"QUANTITY":"quantity","TITLE":null}']]) {
      const { code, stderr } = yield* bring(...args)
      assert.strictEqual(code, 1)
      assert.include(
        stderr,
        "it is a product file of Etsy, not of Shopify; map each of its columns to a field, one of them to title or handle, or convert the file to Shopify's format"
      )
    }
    assert.deepStrictEqual(yield* products, [])
    const mapping = { TITLE: "title", QUANTITY: "quantity", SKU: "sku", MATERIALS: null, IMAGE1: null, TAGS: null }
    assert.deepStrictEqual(yield* importCsv(ETSY, "--mapping", JSON.stringify(mapping)), [1, 0, 0, 0])
    assert.deepStrictEqual(pick(yield* products, "name", "sku", "stock", "price", "customFields"), [
      {
        name: "Thimble",
        sku: "T-1",
        stock: 3,
        price: 0,
        customFields: [
          { key: "DESCRIPTION (column)", value: "Small" },
          { key: "PRICE (column)", value: "24.00" },
          { key: "CURRENCY_CODE", value: "USD" }
        ]
      }
    ])
  })
)

it.live("a mapped column replaces the one with its name, and columns of Google Shopping are ignored", () =>
  Effect.gen(function* () {
    const { importCsv, products, save, storeId, url } = yield* csvScene
    const csv = linesOf(
      "Handle,Title,Variant Barcode,Variant Ean,Google Shopping / MPN,Google Shopping / Gender",
      "a,A,111,222,M-1,unisex"
    )
    const barcodes = Effect.map(products, (all) => pick(all, "barcode", "customFields"))
    assert.deepStrictEqual(yield* importCsv(csv, "--mapping", '{"Variant Ean":"barcode"}'), [1, 0, 0, 0])
    assert.deepStrictEqual(yield* barcodes, [{ barcode: "222", customFields: [] }])
    yield* importCsv(csv, "--mapping", '{"Google Shopping / MPN":"customField","Google Shopping / Gender":"type"}')
    assert.deepStrictEqual(pick(yield* products, "barcode", "customFields", "productType"), [
      {
        barcode: "111",
        customFields: [
          { key: "Variant Ean", value: "222" },
          { key: "Google Shopping / MPN", value: "M-1" }
        ],
        productType: "unisex"
      }
    ])
    const mapping = '{"Variant Ean":"barcode","Variant Barcode":"barcode"}'
    const args = ["import", "products", "--store", storeId, "--format", "shopify", "--file", save(csv)]
    const { code, stderr } = yield* cli(url, ...args, "--mapping", mapping)
    assert.strictEqual(code, 1)
    assert.include(stderr, "its columns Variant Barcode and Variant Ean are mapped to barcode; map one of them")
  })
)
