import { Link, useLocation } from "@tanstack/react-router"
import { useEffect } from "react"
import { EmptyState, ErrorNotice } from "../display/QueryBoundary.tsx"
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
