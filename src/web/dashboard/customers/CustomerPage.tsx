import { Page } from "../../ui/Page.tsx"

/** One customer. */
export const CustomerPage = () => <Page title="Customer">{undefined}</Page>
