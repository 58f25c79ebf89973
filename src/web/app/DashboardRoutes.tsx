import { createRoute, redirect } from "@tanstack/react-router"
import { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import { Option, Schema } from "effect"
import { CollectionId, CustomerId, OrderId, ProductId } from "../../rpc/Client.ts"
import { SignInPage } from "../features/account/SignInPage.tsx"
import { lazyPage, idIn, parseSignInSearch } from "./Root.tsx"
import { NotFoundPage } from "../shared/ui/display/QueryBoundary.tsx"
import { activitySearch } from "../features/activity/activitySearch.ts"
import { parseCollectionSearch } from "../shared/data/urlSearch.ts"
import { parseFileSearch } from "../features/files/fileSearch.ts"
import { parseHomeSearch } from "../features/home/homeSearch.ts"
import { prefetchProducts, parseView } from "../features/products/list/listView.ts"
import { parseCustomerSearch, parseOrderSearch } from "../features/orders/recordSearch.ts"
import { dashboard, member, store, pagesWithTabs } from "./StoreRoutes.ts"
import { NoStorePage } from "./StorePages.tsx"

/* Routes of the dashboard. The code of each page is loaded on the first visit. */

const signIn = createRoute({
  getParentRoute: () => dashboard,
  path: "/sign-in",
  validateSearch: parseSignInSearch,
  component: SignInPage
})

const invitation = createRoute({
  getParentRoute: () => dashboard,
  path: "/invitation",
  component: lazyPage(() => import("../features/account/LinkPages.tsx"), "InvitationPage")
})

const resetPassword = createRoute({
  getParentRoute: () => dashboard,
  path: "/reset-password",
  component: lazyPage(() => import("../features/account/LinkPages.tsx"), "ResetPasswordPage")
})

const start = createRoute({
  getParentRoute: () => member,
  path: "/",
  beforeLoad: ({ context: { account } }) => {
    const [store] = account.stores
    if (store !== undefined) throw redirect({ to: "/dashboard/$storeId", params: { storeId: store.storeId } })
  },
  component: NoStorePage
})

const collectionIdIn = idIn(CollectionId)
const orderIdIn = idIn(OrderId)
const customerIdIn = idIn(CustomerId)
const changeSetIdIn = idIn(ChangeSetId)

const home = createRoute({
  getParentRoute: () => store,
  path: "/",
  validateSearch: parseHomeSearch,
  component: lazyPage(() => import("../features/home/HomePage.tsx"), "HomePage")
})

const products = createRoute({
  getParentRoute: () => store,
  path: "/products",
  validateSearch: parseView,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps, params: { storeId } }) => prefetchProducts(queryClient, storeId, deps),
  component: lazyPage(() => import("../features/products/list/ProductsPage.tsx"), "ProductsPage")
})

const decodeProductId = Schema.decodeUnknownOption(ProductId)

/** Product to copy. An invalid id is ignored. */
const parseCopySearch = ({ copy }: { readonly copy?: unknown }): { readonly copy?: ProductId } =>
  Option.match(decodeProductId(copy), { onNone: () => ({}), onSome: (id) => ({ copy: id }) })

const newProduct = createRoute({
  getParentRoute: () => store,
  path: "/products/new",
  validateSearch: parseCopySearch,
  component: lazyPage(() => import("../features/products/editor/NewProductPage.tsx"), "NewProductPage")
})

const product = createRoute({
  getParentRoute: () => store,
  path: "/products/$productId",
  component: lazyPage(() => import("../features/products/editor/ProductPage.tsx"), "ProductPage")
})

const collections = createRoute({
  getParentRoute: () => store,
  path: "/collections",
  validateSearch: parseCollectionSearch,
  component: lazyPage(() => import("../features/collections/CollectionsPage.tsx"), "CollectionsPage")
})

const newCollection = createRoute({
  getParentRoute: () => store,
  path: "/collections/new",
  component: lazyPage(() => import("../features/collections/NewCollectionPage.tsx"), "NewCollectionPage")
})

const collection = createRoute({
  getParentRoute: () => store,
  path: "/collections/$collectionId",
  params: {
    parse: ({ collectionId }) => ({ collectionId: collectionIdIn(collectionId) }),
    stringify: ({ collectionId }) => ({ collectionId })
  },
  component: lazyPage(() => import("../features/collections/CollectionPage.tsx"), "CollectionPage"),
  notFoundComponent: NotFoundPage
})

const files = createRoute({
  getParentRoute: () => store,
  path: "/files",
  validateSearch: parseFileSearch,
  component: lazyPage(() => import("../features/files/FilesPage.tsx"), "FilesPage")
})

const orders = createRoute({
  getParentRoute: () => store,
  path: "/orders",
  validateSearch: parseOrderSearch,
  component: lazyPage(() => import("../features/orders/OrdersPage.tsx"), "OrdersPage")
})

const order = createRoute({
  getParentRoute: () => store,
  path: "/orders/$orderId",
  params: {
    parse: ({ orderId }) => ({ orderId: orderIdIn(orderId) }),
    stringify: ({ orderId }) => ({ orderId })
  },
  component: lazyPage(() => import("../features/orders/OrderPage.tsx"), "OrderPage"),
  notFoundComponent: NotFoundPage
})

const customers = createRoute({
  getParentRoute: () => store,
  path: "/customers",
  validateSearch: parseCustomerSearch,
  component: lazyPage(() => import("../features/customers/CustomersPage.tsx"), "CustomersPage")
})

const customer = createRoute({
  getParentRoute: () => store,
  path: "/customers/$customerId",
  params: {
    parse: ({ customerId }) => ({ customerId: customerIdIn(customerId) }),
    stringify: ({ customerId }) => ({ customerId })
  },
  component: lazyPage(() => import("../features/customers/CustomerPage.tsx"), "CustomerPage"),
  notFoundComponent: NotFoundPage
})

const activity = createRoute({
  getParentRoute: () => store,
  path: "/activity",
  validateSearch: activitySearch,
  component: lazyPage(() => import("../features/activity/ActivityPage.tsx"), "ActivityPage")
})

const changes = createRoute({
  getParentRoute: () => store,
  path: "/changes",
  component: lazyPage(() => import("../features/changes/ChangesPage.tsx"), "ChangesPage")
})

const change = createRoute({
  getParentRoute: () => store,
  path: "/changes/$changeSetId",
  params: {
    parse: ({ changeSetId }) => ({ changeSetId: changeSetIdIn(changeSetId) }),
    stringify: ({ changeSetId }) => ({ changeSetId })
  },
  component: lazyPage(() => import("../features/changes/ChangePage.tsx"), "ChangePage"),
  notFoundComponent: NotFoundPage
})

const imports = createRoute({
  getParentRoute: () => store,
  path: "/import",
  component: lazyPage(() => import("../features/imports/ImportPage.tsx"), "ImportPage")
})

/** Pages below `/dashboard`. */
export const dashboardRoutes = dashboard.addChildren([
  signIn,
  invitation,
  resetPassword,
  member.addChildren([
    start,
    store.addChildren([
      home,
      products,
      newProduct,
      product,
      collections,
      newCollection,
      collection,
      files,
      orders,
      order,
      customers,
      customer,
      activity,
      changes,
      change,
      imports,
      ...pagesWithTabs
    ])
  ])
])
