import { Empty } from "../ui/States.tsx"
import { Page } from "../ui/Page.tsx"

/** For who is a member of no store. */
export const NoStorePage = () => (
  <Page title="You are a member of no store">
    <Empty title="Ask an owner of the store to add your e-mail address">
      <p>They find it under Settings, Members.</p>
    </Empty>
  </Page>
)
