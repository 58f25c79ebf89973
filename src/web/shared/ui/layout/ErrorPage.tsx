import { Link, useLocation } from "@tanstack/react-router"
import { useEffect } from "react"
import { useOnline } from "../../data/liveUpdates.ts"
import { EmptyState, ErrorNotice, Loading } from "../display/QueryBoundary.tsx"
import { Page } from "./Page.tsx"
import { uiTexts } from "../uiTexts.ts"

const reload = () => location.reload()

/** Error boundary of a route. Loads the page again when the browser is online again. */
export const ErrorPage = ({ error }: { readonly error: unknown }) => {
  useEffect(() => {
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [])
  return (
    <Page title={uiTexts.errorPage.error}>
      <ErrorNotice error={error} retry={reload} />
    </Page>
  )
}

/** Shown while the code of a page loads, or waits for the network. */
export const PendingPage = () => {
  const isOnline = useOnline()
  return (
    <Page title={isOnline ? uiTexts.query.loading : uiTexts.errorPage.waiting}>
      {isOnline ? <Loading /> : <EmptyState title={uiTexts.errorPage.waitingReason} />}
    </Page>
  )
}

/** Shown for unknown addresses and for resources without access. */
export const NotFoundPage = () => {
  const isPortal = useLocation().pathname.startsWith("/developers")
  return (
    <Page title={uiTexts.errorPage.notFound}>
      <EmptyState title={uiTexts.errorPage.notFoundReason}>
        <Link to={isPortal ? "/developers" : "/dashboard"}>{uiTexts.errorPage.start}</Link>
      </EmptyState>
    </Page>
  )
}
