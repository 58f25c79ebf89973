/** A small shop, made up for this service. */
export const products = [{ name: "Walnut desk", price: 480, tags: ["oak"] }]

export const collections = [
  { title: "Everything under 50", rules: [{ field: "price", relation: "less_than", value: 50 }] }
]
