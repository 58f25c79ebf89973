import { ago, useDates } from "../../shared/data/format.ts"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { ChangeSetId } from "../../../domain/changeSets/ChangeSet.ts"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { DifferencesTable } from "../../shared/ui/display/DifferencesTable.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Activity.module.css"
import {
  byDay,
  changesOf,
  isOfLargeSet,
  isUndoable,
  type NamedEntry,
  summaryOf,
  surfaceLabels,
  undoneEntryIds,
  verbOf,
  type EntryGroup,
  groupEntries
} from "./entries.ts"
import { ChangeSetSentence, EntrySentence, EntryTime } from "./EntrySentence.tsx"
import { UndoDialog, UndoSpanForm } from "./UndoDialogs.tsx"
import { joinNames, spanOf } from "./undoPreview.ts"
import { activityTexts } from "./activityTexts.ts"

interface ExpandableRowProps {
  /** Accessible name of the button that shows the details. */
  readonly label: string
  readonly sentence: ReactNode
  readonly summary: string
  readonly at: ReactNode
  readonly action: ReactNode
  readonly children: () => ReactNode
}

/** One line, with details on demand. */
const ExpandableRow = ({ action, at, children, label, sentence, summary }: ExpandableRowProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <li className={css["entry"]}>
      <div className={css["line"]}>
        <button
          type="button"
          className={css["expand"]}
          aria-expanded={isOpen}
          aria-label={label}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden>›</span>
        </button>
        <p className={css["sentence"]}>{sentence}</p>
        <p className={css["summary"]} title={summary}>
          {summary}
        </p>
        <p className={css["at"]}>{at}</p>
        <div className={css["action"]}>{action}</div>
      </div>
      {isOpen ? <div className={css["details"]}>{children()}</div> : undefined}
    </li>
  )
}

const sidesOf = ({ after, before }: NamedEntry) => ({
  before: before === null ? undefined : activityTexts.timeline.before,
  after: after === null ? undefined : activityTexts.timeline.after
})

/** Link to the page of a change set, which undoes the whole of it. */
const ChangeSetLink = ({ id }: { readonly id: string }) => {
  const storeId = useStoreId()
  return (
    <Link to="/dashboard/$storeId/changes/$changeSetId" params={{ storeId, changeSetId: ChangeSetId.make(id) }}>
      {activityTexts.timeline.undoWhole}
    </Link>
  )
}

const EntryDetails = ({ entry }: { readonly entry: NamedEntry }) => {
  const { approverName, at, omitted, reason, surface } = entry
  const dates = useDates()
  const differences = changesOf(entry, { currency: useStore().data?.currencyCode, dates })
  return (
    <>
      <MutedText>
        {`${dates.time(at)} · ${surfaceLabels[surface]}`}
        {approverName === null ? "" : ` · ${activityTexts.timeline.approvedBy(approverName)}`}
        {entry.changeSetId === null ? undefined : (
          <>
            {" · "}
            <ChangeSetLink id={entry.changeSetId} />
          </>
        )}
      </MutedText>
      {reason === null ? undefined : <p className={css["reason"]}>{reason}</p>}
      {differences.length === 0 ? undefined : (
        <DifferencesTable
          caption={activityTexts.timeline.changedFields}
          differences={differences}
          {...sidesOf(entry)}
          first={10}
        />
      )}
      {omitted.length === 0 ? undefined : <MutedText>{activityTexts.timeline.omitted(omitted.join(", "))}</MutedText>}
    </>
  )
}

/** Entries to undo: one, or a whole group. */
type Undoing = NamedEntry | EntryGroup<NamedEntry>

interface EntryProps {
  readonly entry: NamedEntry
  readonly undoneIds: ReadonlySet<string>
  readonly undo: (undoing: Undoing) => void
}

const Entry = ({ entry, undo, undoneIds }: EntryProps) => {
  const currency = useStore().data?.currencyCode
  const dates = useDates()
  const words = [entry.actorName, verbOf(entry), entry.resourceName] as const
  return (
    <ExpandableRow
      label={activityTexts.timeline.details(...words)}
      sentence={<EntrySentence entry={entry} />}
      summary={summaryOf(entry, { currency, dates })}
      at={<EntryTime entry={entry} />}
      action={
        undoneIds.has(entry.id) ? (
          <Badge>{activityTexts.timeline.undone}</Badge>
        ) : isUndoable(entry) ? (
          <Button kind="quiet" onClick={() => undo(entry)} aria-label={activityTexts.timeline.undoEntry(...words)}>
            {activityTexts.timeline.undo}
          </Button>
        ) : undefined
      }
    >
      {() => <EntryDetails entry={entry} />}
    </ExpandableRow>
  )
}

interface GroupProps extends Omit<EntryProps, "entry"> {
  readonly group: EntryGroup<NamedEntry>
  /** True if the undo of the group's time span undoes nothing else. */
  readonly canUndo: boolean
}

/** Row of a change set with more than one change. The page of the set lists them. */
const ChangeSetRow = ({ entry, id }: { readonly entry: NamedEntry; readonly id: string }) => (
  <li className={css["entry"]}>
    <div className={css["line"]}>
      <span className={css["expand"]} aria-hidden />
      <p className={css["sentence"]}>
        <ChangeSetSentence entry={entry} id={id} />
      </p>
      <p className={css["summary"]}>
        {[
          activityTexts.timeline.changeSet,
          ...(entry.reason === null ? [] : [activityTexts.timeline.reason(entry.reason)]),
          surfaceLabels[entry.surface]
        ].join(" · ")}
      </p>
      <p className={css["at"]}>
        <EntryTime entry={entry} />
      </p>
      <div className={css["action"]}>{entry.setChanges === null ? undefined : <ChangeSetLink id={id} />}</div>
    </div>
  </li>
)

const Group = ({ canUndo, group, undo, undoneIds }: GroupProps) => {
  const { time } = useDates()
  const [newest, ...older] = group
  if (older.length === 0) return <Entry entry={newest} undoneIds={undoneIds} undo={undo} />
  const { actorName, surface } = newest
  const label = activityTexts.timeline.changesOf(actorName, group.length)
  return (
    <ExpandableRow
      label={label}
      sentence={
        <>
          <strong>{actorName}</strong> {activityTexts.timeline.changed(group.length)}
        </>
      }
      summary={[joinNames(group.map(({ resourceName }) => resourceName)), surfaceLabels[surface]].join(" · ")}
      at={
        <time
          dateTime={newest.at}
          title={activityTexts.timeline.period(time(older.at(-1)?.at ?? newest.at), time(newest.at))}
        >
          {ago(newest.at)}
        </time>
      }
      action={
        canUndo && group.some((entry) => isUndoable(entry) && !undoneIds.has(entry.id)) ? (
          <Button
            kind="quiet"
            onClick={() => undo(group)}
            aria-label={activityTexts.timeline.undoAllOf(actorName, group.length)}
          >
            {activityTexts.timeline.undoAll}
          </Button>
        ) : undefined
      }
    >
      {() => (
        <ol className={css["entries"]} aria-label={label}>
          {group.map((entry) => (
            <Entry key={entry.id} entry={entry} undoneIds={undoneIds} undo={undo} />
          ))}
        </ol>
      )}
    </ExpandableRow>
  )
}

const UndoGroupDialog = ({ close, group }: { readonly group: EntryGroup<NamedEntry>; readonly close: () => void }) => {
  const [{ actor, actorName }] = group
  const span = spanOf(group.map(({ id }) => id))
  return span === undefined ? undefined : (
    <Dialog title={activityTexts.span.title(actorName)} isOpen close={close}>
      <UndoSpanForm actorId={actor.id} {...span} close={close} />
    </Dialog>
  )
}

const isGroup = (undoing: Undoing): undoing is EntryGroup<NamedEntry> => Array.isArray(undoing)

interface TimelineProps {
  readonly entries: ReadonlyArray<NamedEntry>
  /** Groups entries by actor and work. `undoable` groups can be undone at once. */
  readonly groups?: "none" | "plain" | "undoable"
}

/** Entries by day, with undo buttons. */
export const Timeline = ({ entries, groups = "none" }: TimelineProps) => {
  const [undoing, setUndoing] = useState<Undoing>()
  const undoneIds = undoneEntryIds(entries)
  const close = () => setUndoing(undefined)
  const dates = useDates()
  const shown = groups === "none" ? entries.map((entry): EntryGroup<NamedEntry> => [entry]) : groupEntries(entries)
  return (
    <>
      {byDay(shown, dates).map(([day, ofDay]) => (
        <section key={day} className={css["day"]}>
          <h2>{day}</h2>
          <ol className={css["entries"]}>
            {ofDay.map((group) => {
              const [newest] = group
              return groups !== "none" && newest.changeSetId !== null && isOfLargeSet(newest) ? (
                <ChangeSetRow key={newest.changeSetId} entry={newest} id={newest.changeSetId} />
              ) : (
                // New entries arrive at the start of a group, which keeps its oldest one.
                <Group
                  key={group.at(-1)?.id}
                  group={group}
                  undoneIds={undoneIds}
                  undo={setUndoing}
                  canUndo={groups === "undoable"}
                />
              )
            })}
          </ol>
        </section>
      ))}
      {undoing === undefined ? undefined : isGroup(undoing) ? (
        <UndoGroupDialog group={undoing} close={close} />
      ) : (
        <UndoDialog key={undoing.id} entry={undoing} close={close} choose={setUndoing} />
      )}
    </>
  )
}
