import type { CreateProduct } from "../../domain/catalog/Product.ts"
import { pictures, size, variants } from "./shop.ts"

const clay = { category: "Kitchen", vendorName: "Two Kilns", hsCode: "691110", countryOfOrigin: "ES" }
const tools = { category: "Kitchen", vendorName: "Copper Lane", hsCode: "821599", countryOfOrigin: "FR" }
const pantry = { category: "Pantry", vendorName: "Hillside Pantry", taxable: false, productType: "Food" }

/** Kitchenware and food. */
export const kitchenAndPantry: ReadonlyArray<CreateProduct> = [
  {
    ...clay,
    ...pictures("stoneware-mug", "mug", "teapot"),
    ...variants("Glaze", "MUG", [
      ["Chalk", "CHK", 18, 120],
      ["Rust", "RST", 18, 64],
      ["Deep blue", "BLU", 19.5, 0],
      ["Speckled", "SPK", 19.5, 41]
    ]),
    name: "Stoneware mug",
    description: "Holds 300 ml and fits the hand. No two glazes come out alike.",
    price: 18,
    costPrice: 6.4,
    productType: "Mug",
    tags: ["stoneware", "table", "gift"],
    weight: 0.38,
    metafields: { care: { dishwasher: true, microwave: true } },
    metaDescription: "Stoneware mugs of 300 ml in four glazes."
  },
  {
    ...clay,
    ...pictures("dinner-plate", "plate"),
    ...size(27, 27, 2.5),
    name: "Dinner plate",
    description: "27 cm, with a rim that keeps the sauce where it belongs.",
    price: 22,
    stock: 96,
    productType: "Plate",
    sku: "PLATE-27",
    tags: ["stoneware", "table"],
    weight: 0.82
  },
  {
    ...clay,
    ...pictures("teapot", "teapot", "mug"),
    name: "Teapot",
    description: "Pours 900 ml without a drip, through a strainer of the same clay.",
    price: 64,
    discountedPrice: 51.2,
    stock: 13,
    productType: "Teapot",
    sku: "TEAPOT-09",
    tags: ["stoneware", "table", "tea"],
    weight: 1.05,
    faqs: [{ question: "Can it go on the stove?", answer: "No. Boil the water elsewhere." }]
  },
  {
    ...clay,
    ...pictures("salt-pig", "mill"),
    name: "Salt pig",
    description: "Keeps salt dry and within reach of a hand that is busy.",
    price: 27,
    stock: 35,
    productType: "Storage",
    sku: "SALT-PIG",
    tags: ["stoneware", "gift"],
    weight: 0.6
  },
  {
    ...tools,
    ...pictures("copper-saucepan", "pan"),
    ...variants("Volume", "PAN-CU", [
      ["1 l", "1", 139, 9],
      ["2 l", "2", 179, 4]
    ]),
    name: "Copper saucepan",
    description: "Two millimetres of copper outside, steel inside. Heats evenly and forgives a moment's absence.",
    price: 139,
    costPrice: 71,
    productType: "Pan",
    tags: ["copper", "cooking"],
    weight: 1.7,
    seoTitle: "Copper saucepan, 1 or 2 litres"
  },
  {
    ...tools,
    ...pictures("bread-knife", "board"),
    ...size(36, 4, 2.5),
    name: "Bread knife",
    description: "A long, wavy edge and a handle of pear wood.",
    price: 72,
    stock: 28,
    productType: "Knife",
    sku: "KNIFE-BREAD",
    barcode: "2000000000343",
    tags: ["steel", "pear wood", "cooking"],
    weight: 0.21
  },
  {
    ...tools,
    ...pictures("olive-board", "board", "crackers"),
    name: "Olive board",
    description: "Cut from one piece of olive wood; the shape follows the trunk, so yours will differ.",
    price: 43,
    discountedPrice: 36,
    stock: 19,
    productType: "Board",
    sku: "BOARD-OLV",
    tags: ["olive wood", "table", "gift"],
    countryOfOrigin: "IT",
    weight: 0.9
  },
  {
    ...tools,
    ...pictures("pepper-mill", "mill"),
    name: "Pepper mill",
    description: "Coarse to fine in six clicks. The grinder is ceramic and does not wear out.",
    price: 34.5,
    stock: 46,
    productType: "Mill",
    sku: "MILL-PEP",
    tags: ["beech", "table", "gift"],
    weight: 0.33
  },
  {
    ...tools,
    ...pictures("coffee-dripper", "mug"),
    name: "Coffee dripper",
    description: "For one cup or two, with paper filters of any maker.",
    price: 21,
    stock: 0,
    productType: "Coffee",
    sku: "DRIP-02",
    tags: ["glass", "coffee"],
    countryOfOrigin: "JP",
    weight: 0.28
  },
  {
    ...pantry,
    ...pictures("olive-oil", "bottle"),
    ...variants("Tin", "OIL", [
      ["500 ml", "05", 14.9, 84],
      ["3 l", "30", 62, 15]
    ]),
    name: "Olive oil, early harvest",
    description: "Green, peppery, pressed within a day of picking.",
    price: 14.9,
    tags: ["food", "oil"],
    countryOfOrigin: "GR",
    hsCode: "150920",
    weight: 0.55,
    customFields: [{ key: "harvest", value: "October" }]
  },
  {
    ...pantry,
    ...pictures("blossom-honey", "jar"),
    name: "Blossom honey",
    description: "From lime and clover. Sets hard in winter; a warm bath brings it back.",
    price: 9.8,
    stock: 140,
    sku: "HONEY-450",
    tags: ["food", "gift"],
    countryOfOrigin: "SI",
    hsCode: "040900",
    weight: 0.45
  },
  {
    ...pantry,
    ...pictures("smoked-tea", "teapot"),
    name: "Smoked black tea",
    description: "Dried over pine fires. One spoon makes a pot, and the kitchen smells of woods.",
    price: 12.5,
    discountedPrice: 9.9,
    stock: 52,
    sku: "TEA-SMK-100",
    tags: ["food", "tea", "gift"],
    countryOfOrigin: "TW",
    hsCode: "090230",
    weight: 0.1
  },
  {
    ...pantry,
    ...pictures("rye-crackers", "crackers"),
    name: "Rye crackers",
    description: "Rye, water, salt, caraway. Nothing else, and gone quickly.",
    price: 4.2,
    stock: 210,
    sku: "CRACK-RYE",
    tags: ["food"],
    countryOfOrigin: "FI",
    hsCode: "190540",
    weight: 0.2
  }
]
