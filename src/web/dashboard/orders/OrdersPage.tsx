import { Page } from "../../ui/Page.tsx"

/** What was ordered. */
export const OrdersPage = () => <Page title="Orders">{undefined}</Page>
