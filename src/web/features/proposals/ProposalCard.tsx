import { ago, useDates } from "../../shared/data/format.ts"
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, lazy, Suspense, useState } from "react"
import { differencesOf } from "../../shared/data/differences.ts"
import { useRpcQuery, useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { DifferencesTable } from "../../shared/ui/display/DifferencesTable.tsx"
import { TextArea } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText, Row, Stack, WarningBox } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { changesOf } from "../activity/entries.ts"
import { EntrySentence } from "../activity/EntrySentence.tsx"
import { consequences } from "../activity/undoPreview.ts"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { type NamedProposal, previewProposal, reasonOf, type ProposalPreview } from "./proposalPreview.ts"
import type { ProposalForm } from "./proposalForm.ts"
import { proposalTexts } from "./proposalTexts.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"

// The forms of products and collections load when a member edits a proposal.
const EditProposalDialog = lazy(() =>
  import("./EditProposal.tsx").then((loaded) => ({ default: loaded.EditProposalDialog }))
)

const sidesOf = ({ after, before }: Extract<ProposalPreview, { readonly _tag: "Ready" }>) => ({
  before: before === null ? undefined : proposalTexts.card.current,
  after: after === null ? undefined : proposalTexts.card.proposed
})

const ProposalPreviewView = ({
  proposal,
  preview
}: {
  readonly proposal: NamedProposal
  readonly preview: ProposalPreview
}) => {
  const format = { currency: useStore().data?.currencyCode, dates: useDates() }
  switch (preview._tag) {
    case "Unknown":
      return <p>{proposalTexts.card.unavailable}</p>
    case "Described":
      return <p>{preview.text}</p>
    case "Moved":
      return (
        <WarningBox>
          <p>
            <strong>{proposalTexts.card.outdated}</strong> {proposalTexts.card.outdatedAdvice}
          </p>
          <ul>
            {preview.changes.map((entry) => (
              <li key={entry.id}>
                <EntrySentence entry={entry} /> {ago(entry.at)}
                {entry.before === null || entry.after === null
                  ? undefined
                  : `: ${changesOf(entry, format)
                      .map(({ after, before, name }) => proposalTexts.card.changedField(name, before, after))
                      .join(", ")}`}
              </li>
            ))}
          </ul>
        </WarningBox>
      )
    case "Ready":
      return (
        <Stack>
          <DifferencesTable
            caption={proposal.title}
            differences={differencesOf(preview.before, preview.after, format)}
            {...sidesOf(preview)}
            first={6}
          />
          {consequences(preview.dryRun).map((sentence) => (
            <MutedText key={sentence}>{sentence}</MutedText>
          ))}
          {preview.form === undefined && preview.after !== null ? (
            <MutedText>{proposalTexts.edit.noForm}</MutedText>
          ) : undefined}
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
      toast(proposalTexts.card.rejectedToast(proposal.title))
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (trimmedReason !== "") rejecting.mutate(trimmedReason)
  }
  return (
    <Dialog title={proposalTexts.card.reject.title(proposal.title)} isOpen close={close}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextArea
            label={proposalTexts.card.reject.reason}
            hint={proposalTexts.card.reject.reasonHint(proposal.agentName)}
            value={reason}
            maxLength={1000}
            problem={wasSubmitted && trimmedReason === "" ? proposalTexts.card.reject.reasonMissing : undefined}
            onChange={({ target }) => setReason(target.value)}
          />
          {rejecting.error === null ? undefined : <ErrorNotice error={rejecting.error} />}
          <Row>
            <Button kind="strong" type="submit" isBusy={rejecting.isPending}>
              {proposalTexts.card.reject.action}
            </Button>
            <Button onClick={close}>{uiTexts.dialog.cancel}</Button>
          </Row>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Pending proposal: current and proposed values, and the decision. */
export const ProposalCard = ({ proposal }: { readonly proposal: NamedProposal }) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const { time } = useDates()
  const [isRejecting, setRejecting] = useState(false)
  // The form stays open when the product changes meanwhile, so that nothing typed is lost.
  const [editing, setEditing] = useState<ProposalForm>()
  const reason = reasonOf(proposal)
  const [base] = proposal.basedOn
  // The key starts with the resource, so that its changes refetch the preview.
  const keyPrefix = base === undefined ? ["proposals"] : [base.resource, base.id]
  const previewKey = [storeId, ...keyPrefix, "preview", proposal.id]
  const query = useRpcQuery(previewKey, (client) => previewProposal(client, storeId, proposal))
  const form = query.data?._tag === "Ready" ? query.data.form : undefined
  const approving = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.proposals.approve({ storeId, idempotencyKey, id: proposal.id }),
    invalidates: [[storeId, "proposals"]],
    onSuccess: () => toast(proposalTexts.card.approvedToast(proposal.title))
  })
  const approve = () =>
    approving.mutate(undefined, { onError: () => void queryClient.invalidateQueries({ queryKey: previewKey }) })
  return (
    <Card title={proposal.title}>
      <MutedText>
        {proposalTexts.card.summary(proposal.agentName, ago(proposal.createdAt), time(proposal.expiresAt))}
      </MutedText>
      {reason === undefined ? undefined : <p>{proposalTexts.card.agentReason(proposal.agentName, reason)}</p>}
      <QueryBoundary query={query} lines={3}>
        {(preview) => <ProposalPreviewView proposal={proposal} preview={preview} />}
      </QueryBoundary>
      {approving.error === null ? undefined : <ErrorNotice error={approving.error} />}
      <Row>
        <Button
          kind="strong"
          onClick={approve}
          isBusy={approving.isPending}
          disabled={query.data?._tag !== "Ready" && query.data?._tag !== "Described"}
          aria-label={proposalTexts.card.approveProposal(proposal.title)}
        >
          {proposalTexts.card.approve}
        </Button>
        {form === undefined ? undefined : (
          <Button onClick={() => setEditing(form)} aria-label={proposalTexts.edit.openProposal(proposal.title)}>
            {proposalTexts.edit.open}
          </Button>
        )}
        <Button onClick={() => setRejecting(true)} aria-label={proposalTexts.card.rejectProposal(proposal.title)}>
          {proposalTexts.card.reject.open}
        </Button>
      </Row>
      {editing === undefined ? undefined : (
        <Suspense>
          <EditProposalDialog proposal={proposal} form={editing} close={() => setEditing(undefined)} />
        </Suspense>
      )}
      {isRejecting ? <RejectProposalDialog proposal={proposal} close={() => setRejecting(false)} /> : undefined}
    </Card>
  )
}
