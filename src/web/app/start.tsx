import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { makeQueryClient } from "../shared/data/queries.ts"
import { account } from "../shared/data/service.ts"
import { makeRouter } from "./Router.ts"

const queryClient = makeQueryClient(() => {
  queryClient.removeQueries({ queryKey: account.queryKey })
  void router.invalidate()
})
const router = makeRouter(queryClient)

// The code of the page loads beside the account that its route waits for.
const [routes] = router.getMatchedRoutes(location.pathname)
for (const route of routes) void router.loadRouteChunk(route)

const root = document.querySelector("#root")
if (root === null) throw new Error("The element #root is missing")

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>
)
