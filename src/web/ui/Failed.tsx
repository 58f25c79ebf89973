import { Empty, Trouble } from "./States.tsx"
import { Page } from "./Page.tsx"

/** Where a page failed beyond what it could say itself. */
export const Failed = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => (
  <Page title="Something went wrong">
    <Trouble error={error} retry={reset} />
  </Page>
)

/** An address at which there is nothing, or nothing that may be seen. */
export const NoPage = () => (
  <Page title="There is no such page">
    <Empty title="It may have been moved, or it is not yours to see">
      <p>Go back, or choose a page from the menu.</p>
    </Empty>
  </Page>
)
