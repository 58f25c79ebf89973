import { getRouteApi } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { ProductId } from "../../../../rpc/Client.ts"
import { useRpcQuery } from "../../../shared/data/queries.ts"
import { NotFoundPage } from "../../../shared/ui/layout/ErrorPage.tsx"
import { isMissing } from "../../../shared/data/errorMessages.ts"
import { Page } from "../../../shared/ui/layout/Page.tsx"
import { QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { ProductEditor } from "./ProductEditor.tsx"
import { BackToProducts } from "./ProductForm.tsx"
import { productTexts } from "../productTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/products/$productId")

const decodeId = Schema.decodeUnknownResult(ProductId)

const ProductDetails = ({ id }: { readonly id: ProductId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "product", id], (client) => client.products.get({ storeId, id }))
  if (isMissing(query.error) && query.data === undefined) return <NotFoundPage />
  if (query.data !== undefined) return <ProductEditor product={query.data} isGone={isMissing(query.error)} />
  return (
    <Page title={productTexts.editor.fallbackTitle} isWide above={<BackToProducts />}>
      <QueryBoundary query={query} lines={12}>
        {() => undefined}
      </QueryBoundary>
    </Page>
  )
}

/** Page of one product. */
export const ProductPage = () => {
  const { productId } = route.useParams()
  return Result.match(decodeId(productId), {
    onFailure: () => <NotFoundPage />,
    onSuccess: (id) => <ProductDetails key={id} id={id} />
  })
}
