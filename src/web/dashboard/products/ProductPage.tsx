import { Page } from "../../ui/Page.tsx"

/** One product. */
export const ProductPage = () => <Page title="Product">{undefined}</Page>
