import { Page } from "../../ui/Page.tsx"

/** Who buys. */
export const CustomersPage = () => <Page title="Customers">{undefined}</Page>
