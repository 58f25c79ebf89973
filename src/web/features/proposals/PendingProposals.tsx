import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { ApproveAll } from "./ApproveAll.tsx"
import { ProposalCard } from "./ProposalCard.tsx"
import { listProposals, type NamedProposal } from "./listProposals.ts"
import { proposalTexts } from "./proposalTexts.ts"

/** Polling interval in milliseconds. Proposals do not appear in the change stream. */
const POLL_MILLIS = 15_000

/** Proposals per page. More follow once these are decided. */
const PAGE_SIZE = 20

/** Pending proposals of all agents or of one. */
const PendingCards = ({ proposals }: { readonly proposals: ReadonlyArray<NamedProposal> }) => {
  const [chosen, setChosen] = useState("")
  const agents = new Map(proposals.map(({ agentId, agentName }) => [agentId, agentName]))
  const ofAgent = proposals.filter(({ agentId }) => agentId === chosen)
  // The chosen agent may have no proposal left.
  const shown = ofAgent.length === 0 ? proposals : ofAgent
  return (
    <>
      <Row>
        {agents.size === 1 ? undefined : (
          <SelectField
            label={proposalTexts.filter.agent}
            value={ofAgent.length === 0 ? "" : chosen}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="">{proposalTexts.filter.allAgents}</option>
            {[...agents].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <ApproveAll proposals={shown} />
      </Row>
      {shown.map((proposal) => (
        <ProposalCard key={proposal.id} proposal={proposal} />
      ))}
    </>
  )
}

/** Proposals to review. */
export const PendingProposals = () => {
  const storeId = useStoreId()
  const query = useRpcQuery(
    [storeId, "proposals", "cards"],
    (client) => listProposals(client, { storeId, pending: true, limit: PAGE_SIZE }),
    { refetchInterval: POLL_MILLIS }
  )
  return (
    <QueryBoundary query={query} lines={8}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <EmptyState title={proposalTexts.list.noPending}>
            <p>
              {proposalTexts.list.noPendingAdvice.before}
              <Link to="/dashboard/$storeId/agents" params={{ storeId }}>
                {proposalTexts.list.agents}
              </Link>
              {proposalTexts.list.noPendingAdvice.after}
            </p>
          </EmptyState>
        ) : (
          <Stack>
            <PendingCards proposals={items} />
            {nextCursor === null ? undefined : <MutedText>{proposalTexts.list.moreLater}</MutedText>}
          </Stack>
        )
      }
    </QueryBoundary>
  )
}
