import type { CreateCollection } from "../../domain/catalog/Collection.ts"
import type { CreateProduct } from "../../domain/catalog/Product.ts"
import { furnitureAndLamps } from "./furniture.ts"
import { kitchenAndPantry } from "./kitchen.ts"
import { picture } from "./shop.ts"
import { studyAndGarden } from "./study.ts"

/** Products of the sample shop. */
export const products: ReadonlyArray<CreateProduct> = [...furnitureAndLamps, ...kitchenAndPantry, ...studyAndGarden]

/** Collection of the sample shop. A manual one lists slugs, because products get their ids when they are created. */
export interface DemoCollection extends Omit<CreateCollection, "productIds"> {
  readonly slugs?: ReadonlyArray<string>
}

export const collections: ReadonlyArray<DemoCollection> = [
  {
    title: "Home office",
    description: "Everything for a first desk.",
    imageUrl: picture("desk"),
    seoTitle: "Home office furniture",
    slugs: ["walnut-desk", "reading-chair", "brass-desk-lamp", "desk-pad-felt", "linen-notebook", "pencil-set"]
  },
  {
    title: "Gifts under 30",
    description: "Small presents in stock.",
    metaDescription: "Presents for less than 30, ready to be sent.",
    rules: [
      { field: "tags", relation: "equals", value: "gift" },
      { field: "price", relation: "less_than", value: 30 },
      { field: "stock", relation: "greater_than", value: 0 }
    ]
  },
  {
    title: "Sale and last items",
    description: "On sale or fewer than ten left.",
    disjunctive: true,
    rules: [
      { field: "onSale", relation: "equals", value: true },
      { field: "stock", relation: "in", value: [1, 2, 3, 4, 5, 6, 7, 8, 9] }
    ]
  }
]
