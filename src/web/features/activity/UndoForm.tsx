import type { ReactNode } from "react"
import type { IdempotencyKey } from "../../../domain/Idempotency.ts"
import { ChangedSince } from "../../../domain/journal/Undo.ts"
import { type Client, performed } from "../../../rpc/Client.ts"
import { newIdempotencyKey, useRpcQuery, useRpcMutation, requireDryRun } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import type { NamedEntry } from "./entries.ts"
import { BlockingChanges } from "./BlockingChanges.tsx"
import { consequences, type UndoPreview } from "./undoPreview.ts"
import { useUndoToast } from "./useUndoToast.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"

interface UndoOptions {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: true
}

interface UndoFormProps {
  /** Identifies the undo in the query key. */
  readonly target: ReadonlyArray<string>
  readonly undo: (client: Client, options: UndoOptions) => ReturnType<Client["activity"]["undo" | "undoSpan"]>
  /** Renders the effect of the dry run. */
  readonly children: (preview: UndoPreview) => ReactNode
  readonly labelOf: (changes: number) => string
  readonly close: () => void
  /** Opens the form for a blocking entry. */
  readonly choose?: (entry: NamedEntry) => void
}

/** Shows the dry run of an undo, then performs it. An undo is atomic. */
export const UndoForm = ({ children, choose, close, labelOf, target, undo }: UndoFormProps) => {
  const storeId = useStoreId()
  const preview = useRpcQuery([storeId, "activity", "preview", ...target], (client) =>
    requireDryRun(undo(client, { idempotencyKey: newIdempotencyKey(), dryRun: true }))
  )
  const showUndone = useUndoToast()
  const mutation = useRpcMutation({
    write: (client, _: void, idempotencyKey) => performed(undo(client, { idempotencyKey })),
    invalidates: [[storeId, "store"]],
    onSuccess: (undone) => {
      close()
      showUndone(undone)
    }
  })
  const { error } = mutation.error === null ? preview : mutation
  const changeCount = preview.data?.resource.undone.length ?? 0
  return (
    <>
      {error instanceof ChangedSince ? (
        <BlockingChanges overlaps={error.overlaps} choose={choose} />
      ) : (
        <Stack>
          {mutation.error === null ? undefined : <ErrorNotice error={mutation.error} />}
          <QueryBoundary query={preview} lines={4}>
            {(dryRun) => (
              <Stack>
                {children(dryRun)}
                {changeCount === 0
                  ? undefined
                  : consequences(dryRun).map((sentence) => <MutedText key={sentence}>{sentence}</MutedText>)}
              </Stack>
            )}
          </QueryBoundary>
        </Stack>
      )}
      <Row>
        <Button
          kind="strong"
          disabled={changeCount === 0 || preview.error !== null}
          isBusy={mutation.isPending}
          onClick={() => mutation.mutate()}
        >
          {labelOf(changeCount)}
        </Button>
        <Button onClick={close}>{uiTexts.dialog.cancel}</Button>
      </Row>
    </>
  )
}
