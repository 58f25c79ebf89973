import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { money } from "../../data/format.ts"
import { useProductSummary } from "../../data/useProductSummary.ts"
import { Badge } from "../../ui/Badge.tsx"
import { useStoreId } from "../store.ts"
import css from "./ProductRow.module.css"

/** How high a row is, in pixels, wherever it stands. */
export const ROW_HEIGHT = 56

/** A product in a line: what it is called, what tells it from others, and what can be done with it here. */
export const ProductLine = ({
  children,
  product
}: {
  readonly children?: ReactNode
  readonly product: ProductSummary
}) => (
  <>
    <div className={css["text"]}>
      <Link
        className={css["name"]}
        to="/dashboard/$storeId/products/$productId"
        params={{ storeId: useStoreId(), productId: product.id }}
      >
        {product.name}
      </Link>
      <span className={css["aside"]}>
        {money(product.price, product.currencyCode)}
        {product.sku === null ? "" : ` · ${product.sku}`}
      </span>
    </div>
    {product.isActive ? undefined : <Badge>Inactive</Badge>}
    {children}
  </>
)

interface KnownProductProps {
  readonly id: ProductId
  readonly children?: (name: string) => ReactNode
}

/** A product that is known by its id. */
export const ProductById = ({ children, id }: KnownProductProps) => {
  const { data, error } = useProductSummary(useStoreId(), id)
  if (data !== undefined && data !== null) return <ProductLine product={data}>{children?.(data.name)}</ProductLine>
  const placeholder = data === null ? "Deleted product" : error === null ? "…" : "This product could not be loaded"
  return (
    <>
      <span className={css["text"]}>{placeholder}</span>
      {children?.(placeholder)}
    </>
  )
}
