import { createRoute, notFound } from "@tanstack/react-router"
import { StoreId } from "../../rpc/Client.ts"
import { NotFoundPage } from "../shared/ui/display/QueryBoundary.tsx"
import { idIn, requireSession, root } from "./Root.tsx"
import { StorePages } from "./StorePages.tsx"

/* Route of a store, the parent of its pages. */

export const dashboard = createRoute({ getParentRoute: () => root, path: "/dashboard" })

/** Requires a signed-in merchant. */
export const member = createRoute({
  getParentRoute: () => dashboard,
  id: "member",
  beforeLoad: requireSession("/dashboard/sign-in")
})

const storeIdIn = idIn(StoreId)

/** Frame of the pages of a store. */
export const store = createRoute({
  getParentRoute: () => member,
  path: "/$storeId",
  params: {
    parse: ({ storeId }) => ({ storeId: storeIdIn(storeId) }),
    stringify: ({ storeId }) => ({ storeId })
  },
  beforeLoad: ({ context: { account }, params: { storeId } }) => {
    const membership = account.stores.find((one) => one.storeId === storeId)
    if (membership === undefined) throw notFound()
    return { membership }
  },
  component: StorePages,
  notFoundComponent: NotFoundPage
})
