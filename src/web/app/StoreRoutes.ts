import { createRoute, notFound, redirect } from "@tanstack/react-router"
import { StoreId, InstallationId } from "../../rpc/Client.ts"
import { NotFoundPage } from "../shared/ui/display/QueryBoundary.tsx"
import { installationQuery, requestsQuery, webhookQuery } from "../features/apps/appQueries.ts"
import { membersQuery, sessionsQuery } from "../features/settings/settingsQueries.ts"
import { storeQuery } from "../shared/data/store.ts"
import { idIn, requireSession, root, unknownTab, lazyPage } from "./Root.tsx"
import { MemberPages, StorePages } from "./StorePages.tsx"

/* Route of a store, and its pages whose tabs are child routes. Data loads beside the code of a tab. */

export const dashboard = createRoute({ getParentRoute: () => root, path: "/dashboard" })

/** Requires a signed-in merchant. */
export const member = createRoute({
  getParentRoute: () => dashboard,
  id: "member",
  beforeLoad: requireSession("/dashboard/sign-in"),
  component: MemberPages
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

const apps = createRoute({
  getParentRoute: () => store,
  path: "/apps",
  component: lazyPage(() => import("../features/apps/AppsPage.tsx"), "AppsPage")
})

const installationIdIn = idIn(InstallationId)

const app = createRoute({
  getParentRoute: () => store,
  path: "/apps/$installationId",
  params: {
    parse: ({ installationId }) => ({ installationId: installationIdIn(installationId) }),
    stringify: ({ installationId }) => ({ installationId })
  },
  loader: ({ context: { queryClient }, params }) => void queryClient.prefetchQuery(installationQuery(params)),
  component: lazyPage(() => import("../features/apps/AppPage.tsx"), "AppPage"),
  notFoundComponent: NotFoundPage
})

const appPermissions = createRoute({
  getParentRoute: () => app,
  path: "/",
  component: lazyPage(() => import("../features/apps/AppPage.tsx"), "AppPermissions")
})

const appDeliveries = createRoute({
  getParentRoute: () => app,
  path: "/deliveries",
  loader: ({ context: { queryClient }, params }) => void queryClient.prefetchQuery(webhookQuery(params)),
  component: lazyPage(() => import("../features/apps/Deliveries.tsx"), "Deliveries")
})

const appRequests = createRoute({
  getParentRoute: () => app,
  path: "/requests",
  loader: ({ context: { queryClient }, params }) => void queryClient.prefetchQuery(requestsQuery(params)),
  component: lazyPage(() => import("../features/apps/AppPage.tsx"), "RecentRequests")
})

const appBilling = createRoute({
  getParentRoute: () => app,
  path: "/billing",
  component: lazyPage(() => import("../features/apps/AppBilling.tsx"), "AppBilling")
})

const unknownAppTab = createRoute({ getParentRoute: () => app, path: "$", beforeLoad: unknownTab })

const agents = createRoute({
  getParentRoute: () => store,
  path: "/agents",
  component: lazyPage(() => import("../features/agents/AgentsPage.tsx"), "AgentsPage")
})

const agent = createRoute({
  getParentRoute: () => store,
  path: "/agents/$agentId",
  component: lazyPage(() => import("../features/agents/AgentPage.tsx"), "AgentPage"),
  notFoundComponent: NotFoundPage
})

const agentActivity = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: lazyPage(() => import("../features/agents/AgentPage.tsx"), "AgentActivity")
})

const agentConnection = createRoute({
  getParentRoute: () => agent,
  path: "/connection",
  component: lazyPage(() => import("../features/agents/AgentPage.tsx"), "AgentConnection")
})

const unknownAgentTab = createRoute({ getParentRoute: () => agent, path: "$", beforeLoad: unknownTab })

const proposals = createRoute({
  getParentRoute: () => store,
  path: "/proposals",
  component: lazyPage(() => import("../features/proposals/ProposalsPage.tsx"), "ProposalsPage")
})

const pendingProposals = createRoute({
  getParentRoute: () => proposals,
  path: "/",
  component: lazyPage(() => import("../features/proposals/ProposalsPage.tsx"), "PendingProposals")
})

const decidedProposals = createRoute({
  getParentRoute: () => proposals,
  path: "/decided",
  component: lazyPage(() => import("../features/proposals/ProposalsPage.tsx"), "DecidedProposals")
})

const settings = createRoute({
  getParentRoute: () => store,
  path: "/settings",
  component: lazyPage(() => import("../features/settings/SettingsPage.tsx"), "SettingsPage")
})

const storeSettings = createRoute({
  getParentRoute: () => settings,
  path: "/",
  validateSearch: ({ tab }: { readonly tab?: unknown }): { readonly tab?: "members" } =>
    tab === "members" ? { tab } : {},
  // Address of the members in links from before the tabs had paths.
  beforeLoad: ({ params, search: { tab } }) => {
    if (tab !== undefined) throw redirect({ to: "/dashboard/$storeId/settings/members", params, replace: true })
  },
  loader: ({ context: { queryClient }, params: { storeId } }) => void queryClient.prefetchQuery(storeQuery(storeId)),
  component: lazyPage(() => import("../features/settings/SettingsPage.tsx"), "StoreSettings")
})

const members = createRoute({
  getParentRoute: () => settings,
  path: "/members",
  loader: ({ context: { membership, queryClient }, params: { storeId } }) =>
    void (membership.role === "owner" && queryClient.prefetchQuery(membersQuery(storeId))),
  component: lazyPage(() => import("../features/settings/Members.tsx"), "Members")
})

const sessions = createRoute({
  getParentRoute: () => settings,
  path: "/sessions",
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(sessionsQuery),
  component: lazyPage(() => import("../features/settings/AccountSettings.tsx"), "Sessions")
})

const password = createRoute({
  getParentRoute: () => settings,
  path: "/password",
  component: lazyPage(() => import("../features/settings/AccountSettings.tsx"), "PasswordForm")
})

/** Pages of a store whose tabs are child routes. */
export const pagesWithTabs = [
  apps,
  app.addChildren([appPermissions, appDeliveries, appRequests, appBilling, unknownAppTab]),
  agents,
  agent.addChildren([agentActivity, agentConnection, unknownAgentTab]),
  proposals.addChildren([pendingProposals, decidedProposals]),
  settings.addChildren([storeSettings, members, sessions, password])
] as const
