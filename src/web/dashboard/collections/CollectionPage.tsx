import { Page } from "../../ui/Page.tsx"

/** One collection. */
export const CollectionPage = () => <Page title="Collection">{undefined}</Page>
