import { createRoute } from "@tanstack/react-router"
import { setTimeZone } from "../shared/data/dates.ts"
import { lazyPage } from "./lazyPage.ts"
import { requireSession, root, parseSignInSearch } from "./Root.tsx"

/* Routes of the developer portal. */

const developers = createRoute({ getParentRoute: () => root, path: "/developers" })

const signIn = createRoute({
  getParentRoute: () => developers,
  path: "/sign-in",
  validateSearch: parseSignInSearch,
  component: lazyPage(() => import("../features/portal/SignInPage.tsx"), "SignInPage")
})

const signUp = createRoute({
  getParentRoute: () => developers,
  path: "/sign-up",
  validateSearch: parseSignInSearch,
  component: lazyPage(() => import("../features/portal/SignUpPage.tsx"), "SignUpPage")
})

/** Requires a signed-in developer. */
const developer = createRoute({
  getParentRoute: () => developers,
  id: "developer",
  beforeLoad: (match) => {
    setTimeZone(undefined)
    return requireSession("/developers/sign-in")(match)
  },
  component: lazyPage(() => import("./DeveloperPages.tsx"), "DeveloperPages")
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

const app = createRoute({
  getParentRoute: () => developer,
  path: "/apps/$appId",
  component: lazyPage(() => import("../features/portal/AppPage.tsx"), "AppPage")
})

/** Pages below `/developers`. */
export const developerRoutes = developers.addChildren([signIn, signUp, developer.addChildren([apps, newApp, app])])
