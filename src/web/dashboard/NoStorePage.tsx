import { Empty } from "../ui/States.tsx"
import { Page } from "../ui/Page.tsx"

/** For who is a member of no store. */
export const NoStorePage = () => (
  <Page title="You are not a member of any store">
    <Empty title="Ask a store owner to add your e-mail address">
      <p>Owners add members under Settings, Members.</p>
    </Empty>
  </Page>
)
