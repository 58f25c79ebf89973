import { Page } from "../../ui/Page.tsx"

/** A product that is to be made. */
export const NewProductPage = () => <Page title="New product">{undefined}</Page>
