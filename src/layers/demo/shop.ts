/*
 * Helpers of the sample catalog: pictures by name, variants from a table. The host is reserved for examples (RFC 2606),
 * and replaced when the products are created; shops and makers are fictional.
 */

/** Origin of the pictures in the sample data. The files are in `src/web/public`. */
export const PICTURES_ORIGIN = "https://images.example.com"

export const picture = (name: string) => `${PICTURES_ORIGIN}/web/demo-${name}.svg`

/** Makes the slug and the pictures of a product from the names of drawings. The first one is the main picture. */
export const pictures = (slug: string, ...drawings: readonly [string, ...ReadonlyArray<string>]) => ({
  slug,
  imageUrl: picture(drawings[0]),
  media: drawings.map((name, index) => ({
    url: picture(name),
    type: "image",
    alt: `Drawing: ${name}`,
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
