/*
 * How the sample catalog is written down in few words: pictures from a product's slug, variants from a table. The host
 * is one of those reserved for examples (RFC 2606), and no shop, maker or person in it exists.
 */

const picture = (name: string) => `https://images.example.com/${name}.jpg`

/** Pictures of a product: what each of them shows. The first is its main one. */
export const pictures = (slug: string, ...views: ReadonlyArray<string>) => ({
  slug,
  imageUrl: picture(slug),
  media: views.map((alt, index) => ({ url: picture(`${slug}-${index + 1}`), type: "image", alt, position: index + 1 }))
})

/** Variants that differ in one option: its value, what to put behind the SKU, price and stock. */
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
