import { Page } from "../../ui/Page.tsx"

/** One app. */
export const AppPage = () => <Page title="App">{undefined}</Page>
