import { useQueryClient } from "@tanstack/react-query"
import { Effect } from "effect"
import { useState } from "react"
import { newIdempotencyKey, useRpcMutation } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Row, Stack, WarningBox } from "../../shared/ui/layout/Page.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import type { NamedProposal } from "./listProposals.ts"
import { proposalTexts } from "./proposalTexts.ts"

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
export const ApproveAll = ({ proposals }: ApproveAllProps) => {
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
