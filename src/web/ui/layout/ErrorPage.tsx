import { EmptyState, ErrorNotice } from "../display/QueryBoundary.tsx"
import { Page } from "./Page.tsx"

/** Error boundary of a route. */
export const ErrorPage = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => (
  <Page title="Something went wrong">
    <ErrorNotice error={error} retry={reset} />
  </Page>
)

/** Shown for unknown addresses and for resources without access. */
export const NotFoundPage = () => (
  <Page title="Page not found">
    <EmptyState title="This page does not exist, or you do not have access to it">
      <p>Go back, or choose a page from the menu.</p>
    </EmptyState>
  </Page>
)
