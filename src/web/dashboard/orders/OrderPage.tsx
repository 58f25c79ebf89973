import { Page } from "../../ui/Page.tsx"

/** One order. */
export const OrderPage = () => <Page title="Order">{undefined}</Page>
