import type { QueryClient } from "@tanstack/react-query"
import { createRouter } from "@tanstack/react-router"
import { dashboardRoutes } from "./DashboardRoutes.tsx"
import { developerRoutes } from "./DeveloperRoutes.tsx"
import { root } from "./Root.tsx"
import { ErrorPage } from "../shared/ui/display/QueryBoundary.tsx"

/** Router of the merchant dashboard and the developer portal. */
export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([dashboardRoutes, developerRoutes]),
    context: { queryClient },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultErrorComponent: ErrorPage
  })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
