import type { QueryClient } from "@tanstack/react-query"
import { createRouter } from "@tanstack/react-router"
import { dashboardRoutes } from "./dashboard/Routes.tsx"
import { developerRoutes } from "./developers/Routes.tsx"
import { root } from "./Root.tsx"
import { Failed } from "./ui/Failed.tsx"

/** Two applications under one roof: the merchant's dashboard and the developer's portal. */
export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([dashboardRoutes, developerRoutes]),
    context: { queries },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultErrorComponent: Failed
  })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
