import { Link } from "@tanstack/react-router"
import type { ProposalStatus } from "../../../domain/access/Proposals.ts"
import type { ProposalId } from "../../../rpc/Client.ts"
import { ago } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Badge, type Tone } from "../../ui/display/Badge.tsx"
import { Card, Page, MutedText, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { Tabs } from "../../ui/layout/Tabs.tsx"
import { useStoreId } from "../store.ts"
import { ProposalCard } from "./ProposalCard.tsx"
import { listProposals, type NamedProposal } from "./listProposals.ts"

/** Polling interval in milliseconds. Proposals do not appear in the change stream. */
const POLL_MILLIS = 15_000

/** Proposals per page. More follow once these are decided. */
const PAGE_SIZE = 20

const PendingProposals = () => {
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
          <EmptyState title="No proposals to review">
            <p>
              Changes that agents propose appear here for your approval. To require it, edit an agent under{" "}
              <Link to="/dashboard/$storeId/agents" params={{ storeId }}>
                Agents
              </Link>
              .
            </p>
          </EmptyState>
        ) : (
          <Stack>
            {items.map((proposal) => (
              <ProposalCard key={proposal.id} proposal={proposal} />
            ))}
            {nextCursor === null ? undefined : <MutedText>Decide these proposals to see more.</MutedText>}
          </Stack>
        )
      }
    </QueryBoundary>
  )
}

const statusLabels: Readonly<Record<typeof ProposalStatus.Type, readonly [word: string, tone: Tone]>> = {
  pending: ["Pending", "accent"],
  approved: ["Approved", "good"],
  rejected: ["Rejected", "alert"],
  withdrawn: ["Withdrawn", "plain"],
  expired: ["Expired", "warn"]
}

const ProposalStatusBadge = ({ status }: NamedProposal) => {
  const [word, tone] = statusLabels[status]
  return <Badge tone={tone}>{word}</Badge>
}

const COLUMNS: ReadonlyArray<Column<NamedProposal>> = [
  { name: "Proposal", cell: ({ title }) => title },
  { name: "Agent", cell: ({ agentName }) => agentName },
  { name: "Status", cell: ProposalStatusBadge },
  { name: "Date", cell: ({ decidedAt, expiresAt }) => ago(decidedAt ?? expiresAt) },
  { name: "Reason", cell: ({ reason }) => reason ?? "" }
]

const DecidedProposals = () => {
  const storeId = useStoreId()
  const {
    query,
    items = [],
    more
  } = usePagedQuery(
    [storeId, "proposals", "decided"],
    ({ cursor }: { readonly cursor?: ProposalId }) =>
      (client) =>
        listProposals(client, { storeId, pending: false, ...(cursor === undefined ? {} : { cursor }) })
  )
  return (
    <QueryBoundary query={query}>
      {() =>
        items.length === 0 ? (
          <EmptyState title="No decided proposals">
            <p>Proposals that were decided in the last 30 days appear here.</p>
          </EmptyState>
        ) : (
          <Card>
            <Table caption="Decided proposals" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
            <More {...more} />
          </Card>
        )
      }
    </QueryBoundary>
  )
}

/** Pending and decided proposals of agents. */
export const ProposalsPage = () => (
  <Page title="Proposals">
    <Tabs
      label="Proposals"
      tabs={[
        { name: "Pending", panel: <PendingProposals /> },
        { name: "Decided", panel: <DecidedProposals /> }
      ]}
    />
  </Page>
)
