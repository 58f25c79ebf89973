import { Page } from "../../ui/Page.tsx"

/** An app that is to be registered. */
export const NewAppPage = () => <Page title="New app">{undefined}</Page>
