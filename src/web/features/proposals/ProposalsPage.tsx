import { Link } from "@tanstack/react-router"
import { Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { proposalTexts } from "./proposalTexts.ts"

const { tabs, title } = proposalTexts.list

/** Pending and decided proposals of agents. */
export const ProposalsPage = () => {
  const params = { storeId: useStoreId() }
  return (
    <Page title={title}>
      <TabLinks label={title}>
        <Link to="/dashboard/$storeId/proposals" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
          {tabs.pending}
        </Link>
        <Link to="/dashboard/$storeId/proposals/decided" params={params} resetScroll={false}>
          {tabs.decided}
        </Link>
      </TabLinks>
    </Page>
  )
}
