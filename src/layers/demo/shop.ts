/*
 * Helpers of the sample catalog: pictures from the slug of a product, variants from a table. The host is reserved for
 * examples (RFC 2606); shops and makers are fictional.
 */

const picture = (name: string) => `https://images.example.com/${name}.jpg`

/** Makes the pictures of a product from their descriptions. */
export const pictures = (slug: string, ...views: ReadonlyArray<string>) => ({
  slug,
  imageUrl: picture(slug),
  media: views.map((alt, index) => ({ url: picture(`${slug}-${index + 1}`), type: "image", alt, position: index + 1 }))
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
