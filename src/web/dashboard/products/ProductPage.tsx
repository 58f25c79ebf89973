import { getRouteApi } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { ProductId } from "../../../rpc/Client.ts"
import { useAsked } from "../../data/Queries.ts"
import { NoPage } from "../../ui/Failed.tsx"
import { isMissing } from "../../data/Problem.ts"
import { Page } from "../../ui/Page.tsx"
import { Answered } from "../../ui/States.tsx"
import { useStoreId } from "../Store.ts"
import { BackToProducts } from "./BackToProducts.tsx"
import { ProductEditor } from "./ProductEditor.tsx"

const route = getRouteApi("/dashboard/member/$storeId/products/$productId")

const decodeId = Schema.decodeUnknownResult(ProductId)

const Asked = ({ id }: { readonly id: ProductId }) => {
  const storeId = useStoreId()
  const asked = useAsked([storeId, "product", id], (client) => client.products.get({ storeId, id }))
  if (isMissing(asked.error) && asked.data === undefined) return <NoPage />
  if (asked.data !== undefined) return <ProductEditor product={asked.data} isGone={isMissing(asked.error)} />
  return (
    <Page title="Product" isWide above={<BackToProducts />}>
      <Answered asked={asked} lines={12}>
        {() => undefined}
      </Answered>
    </Page>
  )
}

/** One product, to be read and changed. */
export const ProductPage = () => {
  const { productId } = route.useParams()
  return Result.match(decodeId(productId), {
    onFailure: () => <NoPage />,
    onSuccess: (id) => <Asked key={id} id={id} />
  })
}
