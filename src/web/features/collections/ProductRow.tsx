import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { money } from "../../shared/data/format.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { Badge } from "../../shared/ui/display/Badge.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import css from "./ProductRow.module.css"
import { collectionTexts } from "./collectionTexts.ts"

/** Height of a row in pixels. */
export const ROW_HEIGHT = 56

/** Name, price, SKU and status of a product, with actions. */
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
    {product.isActive ? undefined : <Badge>{collectionTexts.list.inactive}</Badge>}
    {children}
  </>
)

interface KnownProductProps {
  readonly id: ProductId
  readonly children?: (name: string) => ReactNode
}

/** Product that is loaded by id. */
export const ProductById = ({ children, id }: KnownProductProps) => {
  const { data, error } = useProductSummary(useStoreId(), id)
  if (data !== undefined && data !== null) return <ProductLine product={data}>{children?.(data.name)}</ProductLine>
  const placeholder =
    data === null ? collectionTexts.products.deleted : error === null ? "…" : collectionTexts.products.notLoaded
  return (
    <>
      <span className={css["text"]}>{placeholder}</span>
      {children?.(placeholder)}
    </>
  )
}
