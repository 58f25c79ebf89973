import { Page } from "../../ui/Page.tsx"

/** One agent. */
export const AgentPage = () => <Page title="Agent">{undefined}</Page>
