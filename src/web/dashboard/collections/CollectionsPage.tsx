import { Page } from "../../ui/Page.tsx"

/** How products are grouped. */
export const CollectionsPage = () => <Page title="Collections">{undefined}</Page>
