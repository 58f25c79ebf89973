import { createRoute, notFound, redirect } from "@tanstack/react-router"
import { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import { Option, Result, Schema } from "effect"
import { CollectionId, CustomerId, OrderId, ProductId, StoreId } from "../../rpc/Client.ts"
import { SignInPage } from "../features/account/SignInPage.tsx"
import { lazyPage } from "./lazyPage.ts"
import { setTimeZone } from "../shared/data/dates.ts"
import { parseSignInSearch, requireSession, root } from "./Root.tsx"
import { NotFoundPage } from "../shared/ui/layout/ErrorPage.tsx"
import { activitySearch } from "../features/activity/activitySearch.ts"
import { parseCollectionSearch } from "../features/collections/collectionSearch.ts"
import { parseHomeSearch } from "../features/home/homeSearch.ts"
import { prefetchProducts } from "../features/products/list/productListQuery.ts"
import { parseView } from "../features/products/list/listView.ts"
import { parseCustomerSearch, parseOrderSearch } from "../features/records/recordSearch.ts"
import { StorePages } from "./StorePages.tsx"

/* Routes of the dashboard. The code of each page is loaded on the first visit. */

const dashboard = createRoute({ getParentRoute: () => root, path: "/dashboard" })

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

/** Requires a signed-in merchant. */
const member = createRoute({
  getParentRoute: () => dashboard,
  id: "member",
  beforeLoad: requireSession("/dashboard/sign-in")
})

const start = createRoute({
  getParentRoute: () => member,
  path: "/",
  beforeLoad: ({ context: { account } }) => {
    const [store] = account.stores
    if (store !== undefined) throw redirect({ to: "/dashboard/$storeId", params: { storeId: store.storeId } })
  },
  component: lazyPage(() => import("./NoStorePage.tsx"), "NoStorePage")
})

/** Parses an id in the URL. An invalid id leads to the not-found page of the route, inside the frame of the store. */
const idIn = <A,>(schema: Schema.Codec<A, string>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string): A =>
    Result.getOrElse(decode(text), () => {
      throw notFound()
    })
}

const storeIdIn = idIn(StoreId)
const collectionIdIn = idIn(CollectionId)
const orderIdIn = idIn(OrderId)
const customerIdIn = idIn(CustomerId)
const changeSetIdIn = idIn(ChangeSetId)

const store = createRoute({
  getParentRoute: () => member,
  path: "/$storeId",
  params: {
    parse: ({ storeId }) => ({ storeId: storeIdIn(storeId) }),
    stringify: ({ storeId }) => ({ storeId })
  },
  beforeLoad: ({ context: { account }, params: { storeId } }) => {
    const membership = account.stores.find((one) => one.storeId === storeId)
    if (membership === undefined) throw notFound()
    setTimeZone(membership.timezone)
    return { membership }
  },
  component: StorePages,
  notFoundComponent: NotFoundPage
})

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

const apps = createRoute({
  getParentRoute: () => store,
  path: "/apps",
  component: lazyPage(() => import("../features/apps/AppsPage.tsx"), "AppsPage")
})

const app = createRoute({
  getParentRoute: () => store,
  path: "/apps/$installationId",
  component: lazyPage(() => import("../features/apps/AppPage.tsx"), "AppPage")
})

const agents = createRoute({
  getParentRoute: () => store,
  path: "/agents",
  component: lazyPage(() => import("../features/agents/AgentsPage.tsx"), "AgentsPage")
})

const agent = createRoute({
  getParentRoute: () => store,
  path: "/agents/$agentId",
  component: lazyPage(() => import("../features/agents/AgentPage.tsx"), "AgentPage")
})

const proposals = createRoute({
  getParentRoute: () => store,
  path: "/proposals",
  component: lazyPage(() => import("../features/proposals/ProposalsPage.tsx"), "ProposalsPage")
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

const parseSettingsSearch = ({ tab }: { readonly tab?: unknown }): { readonly tab?: "members" } =>
  tab === "members" ? { tab } : {}

const settings = createRoute({
  getParentRoute: () => store,
  path: "/settings",
  validateSearch: parseSettingsSearch,
  component: lazyPage(() => import("../features/settings/SettingsPage.tsx"), "SettingsPage")
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
      orders,
      order,
      customers,
      customer,
      apps,
      app,
      agents,
      agent,
      proposals,
      activity,
      changes,
      change,
      imports,
      settings
    ])
  ])
])
