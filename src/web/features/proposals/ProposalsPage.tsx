import { useQueryClient } from "@tanstack/react-query"
import { Effect } from "effect"
import { useState } from "react"
import { Link } from "@tanstack/react-router"
import type { ProposalStatus } from "../../../domain/access/Proposals.ts"
import type { ProposalId } from "../../../rpc/Client.ts"
import { newIdempotencyKey, useRpcMutation, useRpcQuery, usePagedQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice, QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Row, Stack, WarningBox, MutedText, Card, Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { ago } from "../../shared/data/format.ts"
import { Badge, Sentence, type Tone } from "../../shared/ui/display/Values.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { type NamedProposal, listProposals } from "./proposalPreview.ts"
import { proposalTexts } from "./proposalTexts.ts"
import { ProposalCard } from "./ProposalCard.tsx"

interface ApproveAllProps {
  readonly proposals: ReadonlyArray<NamedProposal>
}

/** Approves proposals one after another, and stops at the first refusal. */
const ApproveAllDialog = ({ close, proposals }: ApproveAllProps & { readonly close: () => void }) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  // The list of the page shrinks with each approval.
  const [calls] = useState(() => proposals.map((proposal) => ({ proposal, idempotencyKey: newIdempotencyKey() })))
  const [approved, setApproved] = useState(0)
  const approving = useRpcMutation({
    write: (client, _: void) =>
      Effect.forEach(
        calls,
        ({ idempotencyKey, proposal: { id } }, index) =>
          Effect.andThen(
            client.proposals.approve({ storeId, idempotencyKey, id }),
            Effect.sync(() => setApproved(index + 1))
          ),
        { discard: true }
      ),
    invalidates: [[storeId, "proposals"]],
    onSuccess: () => {
      close()
      toast(proposalTexts.approveAll.approvedToast(calls.length))
    }
  })
  const approve = () =>
    approving.mutate(undefined, {
      onError: () => void queryClient.invalidateQueries({ queryKey: [storeId, "proposals"] })
    })
  const refused = approving.error === null ? undefined : calls[approved]?.proposal
  return (
    <Dialog
      title={proposalTexts.approveAll.title(calls.length)}
      isOpen
      close={approving.isPending ? () => undefined : close}
    >
      <Stack>
        <ul>
          {calls.map(({ proposal: { agentName, id, title } }) => (
            <li key={id}>{proposalTexts.approveAll.item(title, agentName)}</li>
          ))}
        </ul>
        {refused === undefined ? undefined : (
          <WarningBox>
            <p>{proposalTexts.approveAll.stopped(refused.title, approved)}</p>
            <ErrorNotice error={approving.error} />
          </WarningBox>
        )}
        {approving.isPending ? <output>{proposalTexts.approveAll.progress(approved, calls.length)}</output> : undefined}
        <Row>
          {refused === undefined ? (
            <Button kind="strong" onClick={approve} isBusy={approving.isPending}>
              {proposalTexts.approveAll.action(calls.length)}
            </Button>
          ) : undefined}
          <Button disabled={approving.isPending} onClick={close}>
            {refused === undefined ? uiTexts.dialog.cancel : uiTexts.dialog.close}
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}

/** Approves the listed proposals. The dialog stays open while the list shrinks. */
const ApproveAll = ({ proposals }: ApproveAllProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {proposals.length === 1 ? undefined : (
        <Button onClick={() => setOpen(true)}>{proposalTexts.approveAll.open(proposals.length)}</Button>
      )}
      {isOpen ? <ApproveAllDialog proposals={proposals} close={() => setOpen(false)} /> : undefined}
    </>
  )
}

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
              <Sentence text={proposalTexts.list.noPendingAdvice}>
                <Link to="/dashboard/$storeId/agents" params={{ storeId }}>
                  {proposalTexts.list.agents}
                </Link>
              </Sentence>
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
