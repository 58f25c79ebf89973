import type { Product } from "../../../domain/catalog/Product.ts"
import { plus } from "../../../domain/json/Numbers.ts"

/**
 * Stock that pages show (docs/spec/inventory.md): that of the variants together if there are any, otherwise that of the
 * product. Undefined if the stock is not tracked.
 */
export const shownStock = ({
  stock,
  trackInventory,
  variants
}: Pick<Product, "stock" | "trackInventory" | "variants">): number | undefined => {
  if (!trackInventory) return undefined
  return variants.length === 0 ? stock : variants.reduce((sum, variant) => plus(sum, variant.stock ?? 0), 0)
}
