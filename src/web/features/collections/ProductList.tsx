import { Link } from "@tanstack/react-router"
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, type RefObject, useCallback, useRef } from "react"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { money } from "../../shared/data/format.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import css from "./Collections.module.css"
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

interface VirtualRowsOptions {
  readonly count: number
  readonly scroller: RefObject<HTMLElement | null>
  /** Row that stays rendered at any scroll position. */
  readonly pinnedRow?: number
}

/** Virtualizer of product rows. */
export const useVirtualRows = ({ count, pinnedRow, scroller }: VirtualRowsOptions) => {
  const rangeExtractor = useCallback(
    (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), ...(pinnedRow === undefined ? [] : [pinnedRow])])].toSorted(
        (a, b) => a - b
      ),
    [pinnedRow]
  )
  // oxlint-disable-next-line react/incompatible-library -- No memoized component receives its functions.
  return useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    rangeExtractor
  })
}

/** Products by id. Renders only visible rows. */
export const VirtualProductList = ({
  ids,
  label
}: {
  readonly ids: ReadonlyArray<ProductId>
  readonly label: string
}) => {
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualRows({ count: ids.length, scroller })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
    <section ref={scroller} className={css["virtualScroller"]} tabIndex={0} aria-label={label}>
      <ul className={css["virtualList"]} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const id = ids[index]
          return id === undefined ? undefined : (
            <li
              key={id}
              className={css["virtualRow"]}
              style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
              aria-setsize={ids.length}
              aria-posinset={index + 1}
            >
              <ProductById id={id} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
