import { Page } from "../../ui/Page.tsx"

/** Who changed what. */
export const ActivityPage = () => <Page title="Activity">{undefined}</Page>
