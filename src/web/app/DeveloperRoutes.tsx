import { createRoute } from "@tanstack/react-router"
import { NotFoundPage } from "../shared/ui/display/QueryBoundary.tsx"
import { appQuery, webhookQuery } from "../features/portal/appQueries.ts"
import { AppId } from "../../rpc/Client.ts"
import { lazyPage, idIn, unknownTab, requireSession, root, parseSignInSearch } from "./Root.tsx"

/* Routes of the developer portal. */

const developers = createRoute({ getParentRoute: () => root, path: "/developers" })

const signIn = createRoute({
  getParentRoute: () => developers,
  path: "/sign-in",
  validateSearch: parseSignInSearch,
  component: lazyPage(() => import("../features/portal/SignPages.tsx"), "SignInPage")
})

const signUp = createRoute({
  getParentRoute: () => developers,
  path: "/sign-up",
  validateSearch: parseSignInSearch,
  component: lazyPage(() => import("../features/portal/SignPages.tsx"), "SignUpPage")
})

/** Requires a signed-in developer. */
const developer = createRoute({
  getParentRoute: () => developers,
  id: "developer",
  beforeLoad: requireSession("/developers/sign-in"),
  component: lazyPage(() => import("./DeveloperPages.tsx"), "DeveloperPages"),
  notFoundComponent: NotFoundPage
})

const apps = createRoute({
  getParentRoute: () => developer,
  path: "/",
  component: lazyPage(() => import("../features/portal/AppsPage.tsx"), "AppsPage")
})

const newApp = createRoute({
  getParentRoute: () => developer,
  path: "/apps/new",
  component: lazyPage(() => import("../features/portal/NewAppPage.tsx"), "NewAppPage")
})

const appIdIn = idIn(AppId)

/** The tabs of an app are child routes. */
const app = createRoute({
  getParentRoute: () => developer,
  path: "/apps/$appId",
  params: {
    parse: ({ appId }) => ({ appId: appIdIn(appId) }),
    stringify: ({ appId }) => ({ appId })
  },
  loader: ({ context: { queryClient }, params: { appId } }) => void queryClient.prefetchQuery(appQuery(appId)),
  component: lazyPage(() => import("../features/portal/AppPage.tsx"), "AppPage"),
  notFoundComponent: NotFoundPage
})

const getStarted = createRoute({
  getParentRoute: () => app,
  path: "/",
  component: lazyPage(() => import("../features/portal/AppPage.tsx"), "GetStarted")
})

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: lazyPage(() => import("../features/portal/AppTabs.tsx"), "AppSettings")
})

const secret = createRoute({
  getParentRoute: () => app,
  path: "/secret",
  component: lazyPage(() => import("../features/portal/AppTabs.tsx"), "ClientSecret")
})

const webhook = createRoute({
  getParentRoute: () => app,
  path: "/webhook",
  loader: ({ context: { queryClient }, params: { appId } }) => void queryClient.prefetchQuery(webhookQuery(appId)),
  component: lazyPage(() => import("../features/portal/WebhookPanel.tsx"), "WebhookPanel")
})

const deliveries = createRoute({
  getParentRoute: () => app,
  path: "/deliveries",
  component: lazyPage(() => import("../features/portal/AppTabs.tsx"), "Deliveries")
})

const installations = createRoute({
  getParentRoute: () => app,
  path: "/installations",
  component: lazyPage(() => import("../features/portal/AppTabs.tsx"), "Installations")
})

const unknownAppTab = createRoute({ getParentRoute: () => app, path: "$", beforeLoad: unknownTab })

/** Pages below `/developers`. */
export const developerRoutes = developers.addChildren([
  signIn,
  signUp,
  developer.addChildren([
    apps,
    newApp,
    app.addChildren([getStarted, settings, secret, webhook, deliveries, installations, unknownAppTab])
  ])
])
