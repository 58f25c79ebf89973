import { ago } from "../../shared/data/format.ts"
import type { ProposalStatus } from "../../../domain/access/Proposals.ts"
import type { ProposalId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { Badge, type Tone } from "../../shared/ui/display/Values.tsx"
import { Card } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { listProposals, type NamedProposal } from "./listProposals.ts"
import { proposalTexts } from "./proposalTexts.ts"

const statusTones: Readonly<Record<typeof ProposalStatus.Type, Tone>> = {
  pending: "accent",
  approved: "good",
  rejected: "alert",
  withdrawn: "plain",
  expired: "warn"
}

const ProposalStatusBadge = ({ edited, status }: NamedProposal) => (
  <Badge tone={statusTones[status]}>{edited === null ? proposalTexts.states[status] : proposalTexts.edit.state}</Badge>
)

const COLUMNS: ReadonlyArray<Column<NamedProposal>> = [
  { name: proposalTexts.list.proposal, cell: ({ title }) => title },
  { name: proposalTexts.list.agent, cell: ({ agentName }) => agentName },
  { name: proposalTexts.list.status, cell: ProposalStatusBadge },
  { name: proposalTexts.list.date, cell: ({ decidedAt, expiresAt }) => ago(decidedAt ?? expiresAt) },
  { name: proposalTexts.list.reason, cell: ({ reason }) => reason ?? "" }
]

/** Proposals that were decided. */
export const DecidedProposals = () => {
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
          <EmptyState title={proposalTexts.list.noDecided}>
            <p>{proposalTexts.list.noDecidedAdvice}</p>
          </EmptyState>
        ) : (
          <Card>
            <Table caption={proposalTexts.list.decidedCaption} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
            <More {...more} />
          </Card>
        )
      }
    </QueryBoundary>
  )
}
