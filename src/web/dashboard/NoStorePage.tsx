import { EmptyState } from "../ui/display/QueryBoundary.tsx"
import { Page } from "../ui/layout/Page.tsx"

/** Shown to accounts without a store. */
export const NoStorePage = () => (
  <Page title="You are not a member of any store">
    <EmptyState title="Ask a store owner to add your e-mail address">
      <p>Owners add members under Settings, Members.</p>
    </EmptyState>
  </Page>
)
