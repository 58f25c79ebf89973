import { Page } from "../../ui/Page.tsx"

/** Writes of agents that wait for a member. */
export const ProposalsPage = () => <Page title="Proposals">{undefined}</Page>
