import { EmptyState } from "../shared/ui/display/QueryBoundary.tsx"
import { Page } from "../shared/ui/layout/Page.tsx"
import { dashboardTexts } from "./dashboardTexts.ts"

/** Shown to accounts without a store. */
export const NoStorePage = () => (
  <Page title={dashboardTexts.noStore.title}>
    <EmptyState title={dashboardTexts.noStore.reason}>
      <p>{dashboardTexts.noStore.advice}</p>
    </EmptyState>
  </Page>
)
