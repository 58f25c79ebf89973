/*
 * Helpers of the sample catalog: pictures by name, variants from a table. The host is reserved for examples (RFC 2606),
 * and replaced when the products are created; shops and makers are fictional.
 */

/** Origin of the pictures in the sample data. */
export const PICTURES_ORIGIN = "https://images.example.com"

/** Alternative texts of the drawings in `pictures`, by name. `scripts/demo-pictures.mjs` draws them. */
export const DRAWINGS = {
  apron: "Blue apron with a pocket",
  bag: "Cloth bag with a green leaf",
  board: "Chopping board and a knife",
  bottle: "Blue bottle with a label",
  can: "Green watering can",
  chair: "Red armchair",
  crackers: "Two crackers",
  desk: "Wooden desk with a drawer",
  flowers: "Three flowers",
  gift: "Red gift card with a bow",
  jar: "Jar of honey",
  lamp: "Brass desk lamp",
  lantern: "Green lantern with a flame",
  letters: "Letter in a blue envelope",
  mill: "Wooden pepper mill",
  mug: "Blue mug with hot tea",
  notebook: "Purple notebook with a ribbon",
  pan: "Copper pan with a lid",
  pencils: "Four coloured pencils",
  pendant: "White pendant lamp",
  plate: "White plate with a pink rim",
  rail: "Wooden rail with hooks",
  shelf: "Two shelves with books",
  stool: "Wooden stool",
  teapot: "Green teapot",
  textile: "Striped blanket with fringes",
  trowel: "Garden trowel with a red handle"
} as const
export type Drawing = keyof typeof DRAWINGS

export const picture = (name: Drawing) => `${PICTURES_ORIGIN}/${name}.webp`

/** Makes the slug and the pictures of a product from the names of drawings. The first one is the main picture. */
export const pictures = (slug: string, ...drawings: readonly [Drawing, ...ReadonlyArray<Drawing>]) => ({
  slug,
  imageUrl: picture(drawings[0]),
  media: drawings.map((name, index) => ({
    url: picture(name),
    type: "image",
    alt: DRAWINGS[name],
    position: index + 1
  }))
})

/** Makes variants that differ in one option. Each row has the value, the suffix of the SKU, the price and the stock. */
export const variants = (
  option: string,
  sku: string,
  rows: ReadonlyArray<readonly [value: string, code: string, price: number, stock: number]>
) => ({
  sku,
  stock: rows.reduce((sum, [, , , stock]) => sum + stock, 0),
  options: [{ name: option, values: rows.map(([value]) => value) }],
  variants: rows.map(([value, code, price, stock]) => ({
    title: value,
    sku: `${sku}-${code}`,
    price,
    stock,
    options: { [option]: value }
  }))
})

export const size = (length: number, width: number, height: number) => ({
  dimensions: { length, width, height, unit: "cm" }
})
