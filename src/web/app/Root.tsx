import type { QueryClient } from "@tanstack/react-query"
import {
  createRootRouteWithContext,
  notFound,
  Outlet,
  type ParsedLocation,
  redirect,
  lazyRouteComponent
} from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { isSignedOut } from "../shared/data/errorMessages.ts"
import type { Account } from "../../domain/access/Merchants.ts"
import { account } from "../shared/data/service.ts"
import { ErrorPage, NotFoundPage } from "../shared/ui/display/QueryBoundary.tsx"

/** Context of all routes. */
interface RootContext {
  readonly queryClient: QueryClient
}

export const root = createRootRouteWithContext<RootContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage
})

/** Path to return to after sign-in. Only paths of this host are accepted. */
export const parseSignInSearch = ({ back }: Record<string, unknown>): { readonly back?: string } =>
  typeof back === "string" && /^\/(?![/\\])/.test(back) ? { back } : {}

/** Loads the account for the routes below, or redirects to the sign-in page. */
export const requireSession =
  (signIn: "/dashboard/sign-in" | "/developers/sign-in") =>
  async ({
    context: { queryClient },
    location
  }: {
    readonly context: RootContext
    readonly location: ParsedLocation
  }): Promise<{ readonly account: Account }> => {
    try {
      return { account: await queryClient.ensureQueryData(account) }
    } catch (error) {
      if (!isSignedOut(error)) throw error
      throw redirect({ to: signIn, search: { back: location.href } })
    }
  }

/** Shows the not-found page of the parent route instead of its tabs. */
export const unknownTab = (): void => {
  throw notFound()
}

/** Parses an id in the URL. An invalid id leads to the not-found page of the route, inside the frame of the store. */
export const idIn = <A,>(schema: Schema.Codec<A, string>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string): A =>
    Result.getOrElse(decode(text), () => {
      throw notFound()
    })
}

/** Waits until the browser is online. */
const online = async () => {
  if (navigator.onLine) return
  await new Promise((resolve) => addEventListener("online", resolve, { once: true }))
}

/**
 * Page whose code is loaded on the first visit. Offline, it waits for the network: a module or style sheet that failed
 * once is not requested again.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    await online()
    return load()
  }, name)
