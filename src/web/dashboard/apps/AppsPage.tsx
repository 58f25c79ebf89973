import { Page } from "../../ui/Page.tsx"

/** The apps on the store. */
export const AppsPage = () => <Page title="Apps">{undefined}</Page>
