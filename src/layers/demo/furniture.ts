import type { CreateProduct } from "../../domain/catalog/Product.ts"
import { pictures, size, variants } from "./shop.ts"

const furniture = { category: "Furniture", taxable: true, hsCode: "940360", countryOfOrigin: "PT" }
const joinery = { ...furniture, vendorName: "Northern Joinery" }
const lamps = { category: "Lighting", productType: "Lamp", hsCode: "940520", vendorName: "Harbour Lamp House" }

/** Furniture and lamps. */
export const furnitureAndLamps: ReadonlyArray<CreateProduct> = [
  {
    ...joinery,
    ...pictures("walnut-desk", "desk", "lamp"),
    ...variants("Width", "DESK-WAL", [
      ["120 cm", "120", 480, 6],
      ["140 cm", "140", 540, 3],
      ["160 cm", "160", 610, 0]
    ]),
    ...size(140, 70, 74),
    name: "Walnut desk",
    description: "Solid walnut, oiled by hand, with one shallow drawer for the things that roll away.",
    price: 480,
    costPrice: 265.5,
    productType: "Desk",
    categoryId: "4191",
    categoryName: "Desks",
    tags: ["walnut", "desk", "handmade"],
    weight: 31.4,
    faqs: [
      { question: "Does it come assembled?", answer: "The legs go on with four screws; a key is in the box." },
      { question: "How do I look after it?", answer: "Oil it once a year and wipe up water soon." }
    ],
    metafields: { care: { oil: "once a year" }, wood: { species: "Juglans regia", origin: "Portugal" } },
    seoTitle: "Walnut desk in three widths",
    seoDescription: "A desk of solid walnut with one drawer, 120 to 160 cm wide, oiled by hand."
  },
  {
    ...joinery,
    ...pictures("oak-desk-standing", "desk"),
    ...size(160, 80, 120),
    name: "Standing desk, oak",
    description: "Goes from 68 to 120 cm with a hand crank. No motor, no cable.",
    price: 690,
    discountedPrice: 590,
    costPrice: 340,
    stock: 4,
    productType: "Desk",
    sku: "DESK-OAK-ST",
    tags: ["oak", "desk", "standing"],
    weight: 44,
    faqs: [{ question: "How heavy a load does it lift?", answer: "Up to 60 kg, spread over the top." }]
  },
  {
    ...joinery,
    ...pictures("ash-stool", "stool"),
    ...variants("Colour", "STOOL-ASH", [
      ["Natural", "NAT", 79, 25],
      ["Black", "BLK", 84, 18],
      ["Moss green", "MOS", 84, 2]
    ]),
    name: "Ash stool",
    description: "Three legs, so it never wobbles. Stacks four high.",
    price: 79,
    costPrice: 31,
    productType: "Stool",
    tags: ["ash", "seating", "stackable"],
    weight: 3.2
  },
  {
    ...joinery,
    ...pictures("reading-chair", "chair", "lamp"),
    ...size(72, 66, 81),
    name: "Reading chair",
    description: "Low and wide, with a seat of woven paper cord and arms broad enough for a cup.",
    price: 420,
    stock: 0,
    productType: "Chair",
    sku: "CHAIR-READ",
    tags: ["beech", "seating", "handmade"],
    weight: 8.9,
    customFields: [{ key: "lead_time", value: "six weeks" }]
  },
  {
    ...joinery,
    ...pictures("wall-shelf", "shelf"),
    ...variants("Length", "SHELF", [
      ["60 cm", "60", 49, 40],
      ["90 cm", "90", 65, 32]
    ]),
    name: "Wall shelf",
    description: "A plank of oiled oak and two brackets that disappear behind it.",
    price: 49,
    productType: "Shelf",
    tags: ["oak", "storage"],
    weight: 2.8
  },
  {
    ...furniture,
    ...pictures("peg-rail", "rail"),
    ...size(80, 9, 12),
    name: "Peg rail",
    vendorName: "Small Turnings",
    description: "Seven turned pegs on a rail of birch. Screws and plugs are in the box.",
    price: 38,
    discountedPrice: 29.5,
    stock: 57,
    productType: "Storage",
    sku: "PEG-7",
    tags: ["birch", "storage", "hallway"],
    countryOfOrigin: "EE",
    weight: 1.1
  },
  {
    ...furniture,
    ...pictures("bookend-pair", "shelf"),
    name: "Bookends, a pair",
    vendorName: "Small Turnings",
    description: "Two quarter circles of beech, weighted with steel.",
    price: 24,
    stock: 88,
    productType: "Accessory",
    sku: "BOOKEND-2",
    tags: ["beech", "desk", "gift"],
    countryOfOrigin: "EE",
    weight: 1.6
  },
  {
    ...lamps,
    ...pictures("brass-desk-lamp", "lamp", "desk"),
    ...size(18, 18, 46),
    name: "Brass desk lamp",
    description: "One arm, two joints, a warm light. The brass is left bare and darkens with the years.",
    price: 128,
    costPrice: 54.2,
    stock: 21,
    sku: "LAMP-BRS",
    barcode: "2000000000176",
    tags: ["brass", "desk", "light"],
    countryOfOrigin: "DK",
    weight: 1.9,
    faqs: [{ question: "Which bulb does it take?", answer: "E14, up to 25 W. One is in the box." }]
  },
  {
    ...lamps,
    ...pictures("paper-pendant", "pendant"),
    ...variants("Diameter", "PEND-PAP", [
      ["30 cm", "30", 45, 34],
      ["45 cm", "45", 62, 17],
      ["60 cm", "60", 89, 5]
    ]),
    name: "Paper pendant",
    description: "A shade of folded paper that comes flat in an envelope and opens in a minute.",
    price: 45,
    tags: ["paper", "light"],
    countryOfOrigin: "JP",
    weight: 0.4
  },
  {
    ...lamps,
    ...pictures("clip-lamp", "lamp"),
    name: "Clip lamp",
    description: "For shelves, bed heads and workbenches. Opens 5 cm wide.",
    price: 36,
    discountedPrice: 27,
    stock: 63,
    sku: "LAMP-CLIP",
    tags: ["steel", "light"],
    countryOfOrigin: "DK",
    weight: 0.7
  },
  {
    ...lamps,
    ...pictures("lantern-enamel", "lantern"),
    name: "Enamel lantern",
    description: "Was made for one summer and sold out. Kept in the catalog for those who look for its spare glass.",
    price: 55,
    stock: 0,
    isActive: false,
    sku: "LANT-ENM",
    tags: ["enamel", "light", "discontinued"],
    countryOfOrigin: "PL",
    weight: 1.2
  }
]
