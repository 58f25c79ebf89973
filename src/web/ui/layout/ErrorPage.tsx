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
export const NotFoundPage = () => (
  <Page title={uiTexts.errorPage.notFound}>
    <EmptyState title={uiTexts.errorPage.notFoundReason}>
      <p>{uiTexts.errorPage.notFoundAdvice}</p>
    </EmptyState>
  </Page>
)
