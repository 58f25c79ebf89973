import { Page } from "../../ui/Page.tsx"

/** The store, its members, and the account of who is signed in. */
export const SettingsPage = () => <Page title="Settings">{undefined}</Page>
