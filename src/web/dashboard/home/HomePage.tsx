import { Page } from "../../ui/Page.tsx"

/** How the store stands. */
export const HomePage = () => <Page title="Home">{undefined}</Page>
