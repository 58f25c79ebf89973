import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { differencesOf } from "../../data/differences.ts"
import { ago, time } from "../../data/format.ts"
import { useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Dialog } from "../../ui/layout/Dialog.tsx"
import { DifferencesTable } from "../../ui/display/DifferencesTable.tsx"
import { TextArea } from "../../ui/form/Field.tsx"
import { Card, MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { EntrySentence } from "../activity/EntrySentence.tsx"
import { consequences } from "../activity/undoPreview.ts"
import { useStoreId } from "../store.ts"
import css from "./Proposals.module.css"
import type { NamedProposal } from "./listProposals.ts"
import { previewProposal, type ProposalPreview } from "./proposalPreview.ts"

const sidesOf = ({ after, before }: Extract<ProposalPreview, { readonly _tag: "Ready" }>) => ({
  before: before === null ? undefined : "Current",
  after: after === null ? undefined : "Proposed"
})

const ProposalPreviewView = ({
  proposal,
  seen
}: {
  readonly proposal: NamedProposal
  readonly seen: ProposalPreview
}) => {
  switch (seen._tag) {
    case "Unknown":
      return <p>The proposed action is no longer available. Reject this proposal.</p>
    case "Moved":
      return (
        <div className={css["outdated"]}>
          <p>
            <strong>Changed since the proposal was made.</strong> You can no longer approve it. Reject it so that the
            agent can propose again.
          </p>
          <ul>
            {seen.changes.map((entry) => (
              <li key={entry.id}>
                <EntrySentence entry={entry} /> {ago(entry.at)}
                {entry.before === null || entry.after === null
                  ? undefined
                  : `: ${differencesOf(entry.before, entry.after)
                      .map(({ after, before, name }) => `${name} from ${before || "empty"} to ${after || "empty"}`)
                      .join(", ")}`}
              </li>
            ))}
          </ul>
        </div>
      )
    case "Ready":
      return (
        <Stack>
          <DifferencesTable
            caption={proposal.title}
            differences={differencesOf(seen.before, seen.after)}
            {...sidesOf(seen)}
            first={6}
          />
          {consequences(seen.rehearsal).map((sentence) => (
            <MutedText key={sentence}>{sentence}</MutedText>
          ))}
        </Stack>
      )
  }
}

interface RejectProposalDialogProps {
  readonly proposal: NamedProposal
  readonly close: () => void
}

const RejectProposalDialog = ({ close, proposal }: RejectProposalDialogProps) => {
  const storeId = useStoreId()
  const [reason, setReason] = useState("")
  const [wasSubmitted, setSubmitted] = useState(false)
  const trimmedReason = reason.trim()
  const rejecting = useRpcMutation({
    write: (client, why: string, idempotencyKey) =>
      client.proposals.reject({ storeId, idempotencyKey, id: proposal.id, reason: why }),
    invalidates: [[storeId, "proposals"]],
    onSuccess: () => {
      close()
      toast(`Rejected: ${proposal.title}`)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (trimmedReason !== "") rejecting.mutate(trimmedReason)
  }
  return (
    <Dialog title={`Reject: ${proposal.title}`} isOpen close={close}>
      <form className={css["form"]} onSubmit={submit} noValidate>
        <TextArea
          label="Reason"
          hint={`${proposal.agentName} reads the reason and can propose again.`}
          value={reason}
          maxLength={1000}
          problem={wasSubmitted && trimmedReason === "" ? "Enter a reason" : undefined}
          onChange={({ target }) => setReason(target.value)}
        />
        {rejecting.error === null ? undefined : <ErrorNotice error={rejecting.error} />}
        <Row>
          <Button kind="strong" type="submit" isBusy={rejecting.isPending}>
            {" "}
            Reject proposal{" "}
          </Button>
          <Button onClick={close}>Cancel</Button>
        </Row>
      </form>
    </Dialog>
  )
}

/** Pending proposal: current and proposed values, and the decision. */
export const ProposalCard = ({ proposal }: { readonly proposal: NamedProposal }) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const [isRejecting, setRejecting] = useState(false)
  const [base] = proposal.ground
  // The key starts with the resource, so that its changes refetch the preview.
  const keyPrefix = base === undefined ? ["proposals"] : [base.resource, base.id]
  const previewKey = [storeId, ...keyPrefix, "sight", proposal.id]
  const query = useRpcQuery(previewKey, (client) => previewProposal(client, storeId, proposal))
  const approving = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.proposals.approve({ storeId, idempotencyKey, id: proposal.id }),
    invalidates: [[storeId, "proposals"]],
    onSuccess: () => toast(`Approved: ${proposal.title}`)
  })
  const approve = () =>
    approving.mutate(undefined, { onError: () => void queryClient.invalidateQueries({ queryKey: previewKey }) })
  return (
    <Card title={proposal.title}>
      <MutedText>
        {proposal.agentName} · {ago(proposal.createdAt)} · expires {time(proposal.expiresAt)}
      </MutedText>
      <QueryBoundary query={query} lines={3}>
        {(seen) => <ProposalPreviewView proposal={proposal} seen={seen} />}
      </QueryBoundary>
      {approving.error === null ? undefined : <ErrorNotice error={approving.error} />}
      <Row>
        <Button
          kind="strong"
          onClick={approve}
          isBusy={approving.isPending}
          disabled={query.data?._tag !== "Ready"}
          aria-label={`Approve: ${proposal.title}`}
        >
          Approve
        </Button>
        <Button onClick={() => setRejecting(true)} aria-label={`Reject: ${proposal.title}`}>
          Reject…
        </Button>
      </Row>
      {isRejecting ? <RejectProposalDialog proposal={proposal} close={() => setRejecting(false)} /> : undefined}
    </Card>
  )
}
