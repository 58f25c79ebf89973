import { Effect } from "effect"
import type { ReactNode } from "react"
import { type UndoResult, ChangedSince } from "../../../domain/journal/Undo.ts"
import { performed, EntryId, type Client } from "../../../rpc/Client.ts"
import type { IdempotencyKey } from "../../../domain/Idempotency.ts"
import { errorMessageOf } from "../../shared/data/errorMessages.ts"
import { useRpcMutation, useRpcQuery, newIdempotencyKey, requireDryRun } from "../../shared/data/queries.ts"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useMember, useStoreId } from "../../shared/data/store.ts"
import { ago, type Dates, useDates } from "../../shared/data/format.ts"
import { differencesOf } from "../../shared/data/differences.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { WarningBox, MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { entryIdsOf, spanOf, consequences, type UndoPreview } from "./undoPreview.ts"
import { activityTexts } from "./activityTexts.ts"
import css from "./Activity.module.css"
import { type NamedEntry, nameEntries, verbOf } from "./entries.ts"

/** Confirms an undo and offers to redo. A redo is itself an undo of everything that the member's undo wrote. */
const useUndoToast = () => {
  const storeId = useStoreId()
  const { merchantId } = useMember()
  const redoing = useRpcMutation({
    write: (client, span: { readonly since: string; readonly until: string }, idempotencyKey) =>
      performed(client.activity.undoSpan({ storeId, idempotencyKey, actorId: merchantId, ...span })),
    invalidates: [[storeId, "store"]],
    onSuccess: () => toast(activityTexts.undo.restored)
  })
  return (undone: UndoResult) => {
    const span = spanOf(entryIdsOf(undone))
    if (span === undefined) return toast(activityTexts.undo.nothingToUndo)
    toast(activityTexts.undo.undoneToast(undone.undone.length), {
      name: activityTexts.undo.redo,
      // The page may be unmounted by then, and callbacks of `mutate` would not run.
      run: () =>
        void redoing
          .mutateAsync(span)
          .catch((error: unknown) => toast(activityTexts.undo.redoFailed(errorMessageOf(error).advice)))
    })
  }
}

/** Entries that are shown, since each has to be undone on its own. */
const MAX_SHOWN = 10

/** Changed fields in parentheses. */
const changedFieldsOf = ({ after, before }: NamedEntry, dates: Dates) =>
  before === null || after === null
    ? ""
    : ` (${differencesOf(before, after, { dates })
        .map(({ name }) => name)
        .join(", ")})`

interface BlockingChangesProps {
  readonly overlaps: ChangedSince["overlaps"]
  readonly choose: ((entry: NamedEntry) => void) | undefined
}

/** Later changes that an undo would overwrite, with a button to undo each of them first. */
const BlockingChanges = ({ choose, overlaps }: BlockingChangesProps) => {
  const storeId = useStoreId()
  const dates = useDates()
  const ids = new Set<string>(overlaps.flatMap(({ changedBy }) => changedBy))
  const shown = [...ids].slice(0, MAX_SHOWN).map((id) => EntryId.make(id))
  const query = useRpcQuery([storeId, "activity", "named", ...shown], (client) =>
    Effect.flatMap(
      Effect.forEach(shown, (id) => client.activity.get({ storeId, id }), { concurrency: "unbounded" }),
      (entries) => nameEntries(client, storeId, entries)
    )
  )
  return (
    <WarningBox isAlert>
      <p>
        <strong>{activityTexts.undo.laterChanges}</strong> {activityTexts.undo.laterChangesAdvice}
      </p>
      <QueryBoundary query={query} lines={shown.length}>
        {(entries) => (
          <ul className={css["blocking"]}>
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>
                  <strong>{entry.actorName}</strong> {verbOf(entry)} {entry.resourceName}
                  {changedFieldsOf(entry, dates)} {ago(entry.at)}
                </span>
                {choose === undefined ? undefined : (
                  <Button kind="quiet" onClick={() => choose(entry)}>
                    {activityTexts.undo.undoFirst}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
    </WarningBox>
  )
}

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
