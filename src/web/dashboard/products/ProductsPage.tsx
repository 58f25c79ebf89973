import { Page } from "../../ui/Page.tsx"

/** What the store sells. */
export const ProductsPage = () => <Page title="Products">{undefined}</Page>
