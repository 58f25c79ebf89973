import { Page } from "../../ui/Page.tsx"

/** A collection that is to be made. */
export const NewCollectionPage = () => <Page title="New collection">{undefined}</Page>
