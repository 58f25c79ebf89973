import { Effect } from "effect"
import { range, sendConcurrently, sendRequest } from "./attackRequests.ts"
import { idOf, LARGE_STORE } from "../seed/population.ts"

/* Lists whose pages pass the maximum size after two products. */

/** Product of 2,048 variants, about 600 KB, so that a page ends after two. */
const wide = (n: number) =>
  JSON.stringify({
    name: `Wide ${n}`,
    options: [{ name: "Size", values: [`Size ${n}`] }],
    variants: range(2048).map((variant) => ({
      title: `Size ${n} in colour ${variant}`,
      sku: `WIDE-${n}-${variant}`,
      barcode: String(4_006_381_000_000 + variant),
      price: 20 + variant / 100,
      discountedPrice: 15 + variant / 100,
      costPrice: 9 + variant / 100,
      stock: variant % 97,
      options: { Size: `Size ${n}`, Colour: `Colour ${variant}`, Material: "Oiled oak and powder-coated steel" }
    }))
  })

const WIDE = 60

const AFTER_MANY = idOf("product", LARGE_STORE.store, LARGE_STORE.products)

/** Returns the same installation for all pages of a round, and another one in each round. */
let sentPages = 0
const pageRound = (pages: number) => 400 + Math.floor(sentPages++ / pages)

/** Creates products after those of the large store. */
export const seedWideProducts = (port: number) =>
  Effect.forEach(range(WIDE), (n) => sendRequest(port, "vast", n, "POST", "/products", wide(n)), {
    concurrency: 2,
    discard: true
  })

export const pageAttacks = (port: number) =>
  [
    { installations: 120, pages: 240, concurrency: 16 },
    { installations: 1, pages: 100, concurrency: 8 }
  ].map(({ concurrency, installations, pages }) => ({
    title: `${pages} pages of 1.2 MB of 2,048 variants, ${concurrency} at once, installations: ${installations}`,
    run: sendConcurrently(
      pages,
      // Rounds of one installation use a window each.
      (n) =>
        sendRequest(
          port,
          "vast",
          installations === 1 ? pageRound(pages) : 200 + (n % installations),
          "GET",
          `/products?limit=200&cursor=${AFTER_MANY}`
        ),
      concurrency
    )
  }))
