import { Page } from "../../ui/Page.tsx"

/** The programs that act for the members. */
export const AgentsPage = () => <Page title="Agents">{undefined}</Page>
