import { Page } from "../../ui/Page.tsx"

/** The apps of a developer. */
export const AppsPage = () => <Page title="Apps">{undefined}</Page>
