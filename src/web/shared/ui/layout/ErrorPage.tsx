import { Link, useLocation } from "@tanstack/react-router"
import { EmptyState, ErrorNotice } from "../display/QueryBoundary.tsx"
import { Page } from "./Page.tsx"
import { uiTexts } from "../uiTexts.ts"

/** Error boundary of a route. */
export const ErrorPage = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => (
  <Page title={uiTexts.errorPage.error}>
    <ErrorNotice error={error} retry={reset} />
  </Page>
)

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
