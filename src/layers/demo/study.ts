import type { CreateProduct } from "../../domain/catalog/Product.ts"
import { pictures, size, variants } from "./shop.ts"

const paper = { category: "Stationery", vendorName: "Folded Sheet", hsCode: "482010", countryOfOrigin: "DE" }
const cloth = { category: "Textiles", vendorName: "Mill Street Weavers", hsCode: "630260", countryOfOrigin: "LT" }
const shed = { category: "Garden", vendorName: "Green Shed", hsCode: "820110", countryOfOrigin: "GB" }

/** Stationery, gifts, garden tools, and digital products. */
export const studyAndGarden: ReadonlyArray<CreateProduct> = [
  {
    ...paper,
    ...pictures("linen-notebook", "notebook", "pencils"),
    ...variants("Ruling", "NOTE", [
      ["Plain", "PLN", 16, 75],
      ["Lined", "LIN", 16, 130],
      ["Dotted", "DOT", 16, 98]
    ]),
    ...size(21, 14.8, 1.4),
    name: "Linen notebook",
    description: "160 pages that take ink on both sides, sewn so that it lies flat.",
    price: 16,
    costPrice: 5.1,
    productType: "Notebook",
    tags: ["paper", "desk", "gift"],
    weight: 0.31
  },
  {
    ...paper,
    ...pictures("week-planner", "notebook"),
    name: "Desk planner, undated",
    description: "Fifty-two sheets of a week each. Starts on the day you do.",
    price: 19,
    stock: 44,
    productType: "Planner",
    sku: "PLAN-52",
    tags: ["paper", "desk"],
    weight: 0.48
  },
  {
    ...paper,
    ...pictures("pencil-set", "pencils"),
    name: "Pencils, set of six",
    description: "2H to 4B, in cedar. The grade is stamped at the blunt end, where it survives.",
    price: 11,
    discountedPrice: 8.5,
    stock: 160,
    productType: "Pencil",
    sku: "PENC-6",
    barcode: "2000000000510",
    tags: ["cedar", "desk", "gift"],
    hsCode: "960910",
    weight: 0.06
  },
  {
    ...paper,
    ...pictures("letter-set", "letters"),
    name: "Letter set",
    description: "Twenty sheets of laid paper, twenty envelopes lined in grey.",
    price: 14,
    stock: 0,
    productType: "Paper",
    sku: "LETTER-20",
    tags: ["paper", "gift"],
    weight: 0.35
  },
  {
    ...cloth,
    ...pictures("wool-blanket", "textile", "chair"),
    ...variants("Colour", "BLANK", [
      ["Oatmeal", "OAT", 118, 12],
      ["Slate", "SLT", 118, 7],
      ["Brick", "BRK", 118, 3]
    ]),
    ...size(200, 130, 1),
    name: "Wool blanket",
    description: "Lambswool, woven narrow and washed soft. Large enough for two on a sofa.",
    price: 118,
    costPrice: 49,
    productType: "Blanket",
    tags: ["wool", "home"],
    weight: 1.25,
    metafields: { care: { wash: "wool programme, cold", dry: "flat" } },
    seoDescription: "A blanket of lambswool, 130 by 200 cm, in three colours."
  },
  {
    ...cloth,
    ...pictures("linen-tea-towel", "textile"),
    name: "Linen tea towels, two",
    description: "Dry glasses without a trace from the third wash on.",
    price: 23,
    stock: 71,
    productType: "Towel",
    sku: "TOWEL-2",
    tags: ["linen", "cooking", "gift"],
    weight: 0.22
  },
  {
    ...cloth,
    ...pictures("canvas-tote", "bag"),
    name: "Canvas tote",
    description: "Heavy cotton with a flat bottom and handles that reach the shoulder.",
    price: 32,
    discountedPrice: 24,
    stock: 39,
    productType: "Bag",
    sku: "TOTE-CNV",
    tags: ["cotton", "bag"],
    hsCode: "420222",
    weight: 0.44
  },
  {
    ...cloth,
    ...pictures("desk-pad-felt", "textile", "desk"),
    ...size(80, 33, 0.4),
    name: "Felt desk pad",
    description: "Quiet under a keyboard and kind to a desk. Pressed from wool.",
    price: 39,
    stock: 26,
    productType: "Accessory",
    sku: "PAD-FELT",
    tags: ["wool", "desk"],
    weight: 0.5
  },
  {
    ...shed,
    ...pictures("hand-trowel", "trowel"),
    name: "Hand trowel",
    description: "Forged in one piece; the ash handle is oiled, never painted.",
    price: 28,
    stock: 54,
    productType: "Tool",
    sku: "TROWEL",
    tags: ["steel", "ash", "garden"],
    weight: 0.39
  },
  {
    ...shed,
    ...pictures("watering-can", "can", "flowers"),
    ...variants("Volume", "CAN", [
      ["2 l", "2", 34, 22],
      ["9 l", "9", 58, 11]
    ]),
    name: "Watering can",
    description: "Galvanised, balanced to be carried full, with a rose that comes off.",
    price: 34,
    productType: "Tool",
    tags: ["zinc", "garden"],
    hsCode: "732690",
    weight: 0.9
  },
  {
    ...shed,
    ...pictures("meadow-seeds", "flowers"),
    name: "Meadow seeds",
    description: "Twenty-two native flowers for ten square metres. Sow in autumn, mow once a year.",
    price: 7.5,
    stock: 300,
    productType: "Seeds",
    sku: "SEED-MDW",
    tags: ["seeds", "garden", "gift"],
    taxable: false,
    hsCode: "120930",
    weight: 0.03
  },
  {
    ...pictures("plant-care-guide", "notebook", "flowers"),
    name: "The quiet garden, a guide",
    description: "Eighty pages on a garden that asks for one hour a week. PDF and EPUB.",
    price: 6,
    vendorName: "Green Shed",
    category: "Books",
    productType: "E-book",
    productKind: "digital",
    trackInventory: false,
    sku: "GUIDE-1",
    tags: ["garden", "digital"],
    customFields: [{ key: "pages", value: 80 }]
  },
  {
    ...pictures("gift-card", "gift"),
    ...variants("Amount", "GIFT", [
      ["25", "25", 25, 0],
      ["50", "50", 50, 0],
      ["100", "100", 100, 0]
    ]),
    name: "Gift card",
    description: "For who knows better than you what they would like.",
    price: 25,
    productType: "Gift card",
    productKind: "gift_card",
    taxable: false,
    trackInventory: false,
    tags: ["gift", "digital"]
  },
  {
    ...pictures("stool-workshop", "stool"),
    vendorName: "Northern Joinery",
    category: "Workshops",
    name: "Workshop: make a stool",
    description: "One Saturday, six people, one stool each to take home. Wood, tools and soup are included.",
    price: 145,
    stock: 6,
    productType: "Workshop",
    productKind: "service",
    sku: "WORK-STOOL",
    tags: ["workshop", "gift"]
  },
  {
    ...paper,
    ...pictures("ink-bottle", "bottle"),
    name: "Ink, 50 ml",
    description: "Blue-black, dries matt, washes out of hands but not out of letters.",
    price: 13.4,
    stock: 58,
    productType: "Ink",
    sku: "INK-BB",
    tags: ["desk"],
    hsCode: "321590",
    weight: 0.14
  },
  {
    ...cloth,
    ...pictures("apron", "apron"),
    name: "Apron",
    description: "Crossed at the back, so nothing pulls at the neck. Two deep pockets.",
    price: 46,
    stock: 16,
    productType: "Apron",
    sku: "APRON",
    tags: ["linen", "cooking"],
    weight: 0.36
  }
]
