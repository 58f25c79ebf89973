import { Effect } from "effect"
import { ChangedSince } from "../../../domain/journal/Undo.ts"
import { EntryId, performed } from "../../../rpc/Client.ts"
import { differencesOf } from "../../data/Differences.ts"
import { ago } from "../../data/Format.ts"
import { newKey, useAsked, useWrite } from "../../data/Queries.ts"
import { rehearsed } from "../../data/Rehearsal.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Differences } from "../../ui/Differences.tsx"
import { Quiet, Row, Stack } from "../../ui/Page.tsx"
import { Answered, Trouble } from "../../ui/States.tsx"
import { useStoreId } from "../Store.ts"
import css from "./Activity.module.css"
import { type NamedEntry, nameEntries, verbOf } from "./Entries.ts"
import { consequences, undoSentence } from "./Undos.ts"
import { useUndone } from "./useUndone.ts"

/** Later entries that are named: they are undone one by one. */
const NAMED = 10

interface InTheWayProps {
  readonly ids: ReadonlyArray<string>
  readonly choose: (entry: NamedEntry) => void
}

/** The later changes that an undo would take back too, each with the way to undo it first. */
const InTheWay = ({ choose, ids }: InTheWayProps) => {
  const storeId = useStoreId()
  const shown = ids.slice(0, NAMED).map((id) => EntryId.make(id))
  const asked = useAsked([storeId, "activity", "named", ...shown], (client) =>
    Effect.flatMap(
      Effect.forEach(shown, (id) => client.activity.get({ storeId, id }), { concurrency: "unbounded" }),
      (entries) => nameEntries(client, storeId, entries)
    )
  )
  return (
    <div className={css["inTheWay"]} role="alert">
      <p>
        <strong>Changed since.</strong> These later changes would be lost. Undo them first, or change it by hand.
      </p>
      <Answered asked={asked} lines={shown.length}>
        {(entries) => (
          <ul className={css["blocking"]}>
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>
                  <strong>{entry.actorName}</strong> {verbOf(entry)} {entry.resourceName}
                  {namesOf(entry)} {ago(entry.at)}
                </span>
                <Button kind="quiet" onClick={() => choose(entry)}>
                  Undo this one first
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </div>
  )
}

/** The fields of a change in brackets. */
const namesOf = ({ after, before }: NamedEntry) =>
  before === null || after === null
    ? ""
    : ` (${differencesOf(before, after)
        .map(({ name }) => name)
        .join(", ")})`

interface UndoDialogProps {
  readonly entry: NamedEntry
  readonly close: () => void
  /** Asks about another one instead. */
  readonly choose: (entry: NamedEntry) => void
}

/** What an undo would do is tried first and said; then it is done. */
export const UndoDialog = ({ choose, close, entry }: UndoDialogProps) => {
  const storeId = useStoreId()
  const { id } = entry
  const tried = useAsked([storeId, "activity", id, "undo"], (client) =>
    rehearsed(client.activity.undo({ storeId, id, idempotencyKey: newKey(), dryRun: true }))
  )
  const undone = useUndone()
  const undoing = useWrite({
    write: (client, _: void, idempotencyKey) => performed(client.activity.undo({ storeId, id, idempotencyKey })),
    touches: [
      [storeId, "activity"],
      [storeId, "entries"]
    ],
    done: (answer) => {
      close()
      undone(answer)
    }
  })
  const isUpdate = entry.before !== null && entry.after !== null
  const { error } = undoing.error === null ? tried : undoing
  return (
    <Dialog title="Undo this change" isOpen close={close} isWide={isUpdate}>
      {error instanceof ChangedSince ? (
        <InTheWay ids={[...new Set(error.overlaps.flatMap(({ changedBy }) => changedBy))]} choose={choose} />
      ) : (
        <Stack>
          {undoing.error === null ? undefined : <Trouble error={undoing.error} />}
          <Answered asked={tried} lines={4}>
            {(rehearsal) => (
              <Stack>
                <p>{undoSentence(entry, entry.resourceName)}</p>
                {isUpdate ? (
                  <Differences
                    caption="What is put back"
                    differences={differencesOf(entry.after, entry.before)}
                    before="Now"
                    after="Then"
                  />
                ) : undefined}
                {consequences(rehearsal).map((sentence) => (
                  <Quiet key={sentence}>{sentence}</Quiet>
                ))}
              </Stack>
            )}
          </Answered>
        </Stack>
      )}
      <Row>
        <Button
          kind="strong"
          disabled={tried.data === undefined || tried.error !== null}
          isBusy={undoing.isPending}
          onClick={() => undoing.mutate()}
        >
          Undo
        </Button>
        <Button onClick={close}>Cancel</Button>
      </Row>
    </Dialog>
  )
}
