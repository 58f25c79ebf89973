import { type QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { createRouter, RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ErrorPage } from "../shared/ui/display/QueryBoundary.tsx"
import { makeQueryClient } from "../shared/data/queries.ts"
import { dashboardRoutes } from "./DashboardRoutes.tsx"
import { developerRoutes } from "./DeveloperRoutes.tsx"
import { root } from "./Root.tsx"

/** Router of the merchant dashboard and the developer portal. */
const makeRouter = (queryClient: QueryClient) =>
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

const queryClient = makeQueryClient()
const router = makeRouter(queryClient)

// The code of the page loads beside the account that its route waits for.
const [routes] = router.getMatchedRoutes(location.pathname)
for (const route of routes) void router.loadRouteChunk(route)

const element = document.querySelector("#root")
if (element === null) throw new Error("The element #root is missing")

createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>
)
