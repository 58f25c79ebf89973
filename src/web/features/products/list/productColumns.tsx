import { Time } from "../../../shared/ui/display/Time.tsx"
import { Link } from "@tanstack/react-router"
import type { StoreId } from "../../../../rpc/Client.ts"
import { money, number } from "../../../shared/data/format.ts"
import { shownStock } from "../../../shared/data/shownStock.ts"
import { Badge } from "../../../shared/ui/display/Badge.tsx"
import type { VirtualColumn } from "../../../shared/ui/display/VirtualTable.tsx"
import css from "./Products.module.css"
import { type ColumnName, LOW_STOCK, type Row } from "./listView.ts"
import { Picture } from "../../../shared/ui/display/Picture.tsx"
import { productTexts } from "../productTexts.ts"

const Stock = ({ row }: { readonly row: Row }) => {
  const stock = shownStock(row)
  if (stock === undefined) return productTexts.list.untracked
  if (stock <= 0) return <Badge tone="alert">{productTexts.list.stocks.none}</Badge>
  return stock > LOW_STOCK ? number(stock) : <Badge tone="warn">{productTexts.list.left(number(stock))}</Badge>
}

export const productColumns: Readonly<Record<ColumnName, VirtualColumn<Row>>> = {
  isActive: {
    name: productTexts.list.status,
    width: 110,
    cell: ({ isActive }) => (
      <Badge tone={isActive ? "good" : "plain"}>
        {isActive ? productTexts.list.statuses.active : productTexts.list.statuses.inactive}
      </Badge>
    )
  },
  stock: {
    name: productTexts.fields.stock,
    width: 130,
    isNumber: true,
    cell: (row) => <Stock row={row} />,
    sort: "stock"
  },
  price: {
    name: productTexts.fields.price,
    width: 120,
    isNumber: true,
    cell: ({ currencyCode, price }) => money(price, currencyCode),
    sort: "price"
  },
  sku: { name: productTexts.fields.sku, width: 150, cell: ({ sku }) => sku },
  discountedPrice: {
    name: productTexts.fields.discountedPrice,
    width: 120,
    isNumber: true,
    cell: ({ currencyCode, discountedPrice }) => (discountedPrice === null ? "" : money(discountedPrice, currencyCode))
  },
  costPrice: {
    name: productTexts.fields.costPrice,
    width: 120,
    isNumber: true,
    cell: ({ costPrice, currencyCode }) => (costPrice === null ? "" : money(costPrice, currencyCode))
  },
  vendorName: { name: productTexts.fields.vendorName, width: 160, cell: ({ vendorName }) => vendorName },
  category: { name: productTexts.fields.category, width: 160, cell: ({ category }) => category },
  productType: { name: productTexts.fields.productType, width: 140, cell: ({ productType }) => productType },
  tags: { name: productTexts.fields.tags, width: 200, cell: ({ tags }) => tags.join(", ") },
  variants: {
    name: productTexts.fields.variants,
    width: 100,
    isNumber: true,
    cell: ({ variants }) => number(variants.length)
  },
  updatedAt: {
    name: productTexts.list.updated,
    width: 190,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: "-updatedAt"
  },
  createdAt: {
    name: productTexts.list.created,
    width: 190,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: "-createdAt"
  }
}

/** Link with image and name. It is not in the tab order, because the grid navigates by row. */
export const nameColumn = (storeId: StoreId): VirtualColumn<Row> => ({
  name: productTexts.list.product,
  width: 260,
  sort: "name",
  cell: ({ id, imageUrl, media, name }) => (
    <span className={css["productCell"]}>
      <Picture url={imageUrl ?? media[0]?.url} alt="" />
      <Link
        to="/dashboard/$storeId/products/$productId"
        params={{ storeId, productId: id }}
        tabIndex={-1}
        className={css["name"]}
      >
        {name}
      </Link>
    </span>
  )
})
