import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { ChangeSetId } from "../../../domain/changeSets/ChangeSet.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { differencesOf } from "../../shared/data/differences.ts"
import { Badge } from "../../shared/ui/display/Badge.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { DifferencesTable } from "../../shared/ui/display/DifferencesTable.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Activity.module.css"
import { byDay, isUndoable, type NamedEntry, surfaceLabels, undoneEntryIds, verbOf } from "./entries.ts"
import { EntrySentence, EntryTime } from "./EntrySentence.tsx"
import { UndoDialog } from "./UndoDialog.tsx"
import { activityTexts } from "./activityTexts.ts"

interface EntryProps {
  readonly entry: NamedEntry
  readonly isUndone: boolean
  readonly undo: () => void
}

const sidesOf = ({ after, before }: NamedEntry) => ({
  before: before === null ? undefined : activityTexts.timeline.before,
  after: after === null ? undefined : activityTexts.timeline.after
})

const Entry = ({ entry, isUndone, undo }: EntryProps) => {
  const { approverName, omitted, reason, surface } = entry
  const differences = differencesOf(entry.before, entry.after)
  const isUpdate = entry.before !== null && entry.after !== null
  const storeId = useStoreId()
  return (
    <li className={css["entry"]}>
      <div className={css["line"]}>
        <p>
          <EntrySentence entry={entry} />
        </p>
        {isUndone ? (
          <Badge>{activityTexts.timeline.undone}</Badge>
        ) : isUndoable(entry) ? (
          <Button
            kind="quiet"
            onClick={undo}
            aria-label={activityTexts.timeline.undoEntry(entry.actorName, verbOf(entry), entry.resourceName)}
          >
            {activityTexts.timeline.undo}
          </Button>
        ) : undefined}
      </div>
      <MutedText>
        <EntryTime entry={entry} />
        {` · ${surfaceLabels[surface]}`}
        {approverName === null ? "" : ` · ${activityTexts.timeline.approvedBy(approverName)}`}
        {entry.changeSetId === null ? undefined : (
          <>
            {" · "}
            <Link
              to="/dashboard/$storeId/changes/$changeSetId"
              params={{ storeId, changeSetId: ChangeSetId.make(entry.changeSetId) }}
            >
              {activityTexts.timeline.undoWhole}
            </Link>
          </>
        )}
      </MutedText>
      {reason === null ? undefined : <p className={css["reason"]}>{reason}</p>}
      {differences.length === 0 ? undefined : (
        <DifferencesTable
          caption={activityTexts.timeline.changedFields}
          differences={differences}
          {...sidesOf(entry)}
          first={isUpdate ? 5 : 0}
        />
      )}
      {omitted.length === 0 ? undefined : <MutedText>{activityTexts.timeline.omitted(omitted.join(", "))}</MutedText>}
    </li>
  )
}

/** Entries grouped by day, with undo buttons. */
export const Timeline = ({ entries }: { readonly entries: ReadonlyArray<NamedEntry> }) => {
  const [undoing, setUndoing] = useState<NamedEntry>()
  const undoneIds = undoneEntryIds(entries)
  return (
    <>
      {byDay(entries).map(([day, ofDay]) => (
        <section key={day} className={css["day"]}>
          <h2>{day}</h2>
          <ol className={css["entries"]}>
            {ofDay.map((entry) => (
              <Entry key={entry.id} entry={entry} isUndone={undoneIds.has(entry.id)} undo={() => setUndoing(entry)} />
            ))}
          </ol>
        </section>
      ))}
      {undoing === undefined ? undefined : (
        <UndoDialog
          key={undoing.id}
          entry={undoing}
          close={() => setUndoing(undefined)}
          choose={(entry) => setUndoing(entry)}
        />
      )}
    </>
  )
}
