import { Page } from "../../ui/Page.tsx"

/** One app on the store. */
export const AppPage = () => <Page title="App">{undefined}</Page>
