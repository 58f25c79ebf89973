import { useState } from "react"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { DifferencesTable } from "../../shared/ui/display/DifferencesTable.tsx"
import { useDates } from "../../shared/data/format.ts"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import { changesOf, type NamedEntry } from "./entries.ts"
import { UndoForm } from "./UndoForm.tsx"
import { undoSentence, undoSpanSentence } from "./undoPreview.ts"
import { activityTexts } from "./activityTexts.ts"

interface UndoDialogProps {
  readonly entry: NamedEntry
  readonly close: () => void
  /** Opens the dialog for another entry. */
  readonly choose: (entry: NamedEntry) => void
}

/** Undoes one change. */
export const UndoDialog = ({ choose, close, entry }: UndoDialogProps) => {
  const storeId = useStoreId()
  const dates = useDates()
  const currency = useStore().data?.currencyCode
  const { after, before, id, resourceName } = entry
  const isUpdate = before !== null && after !== null
  return (
    <Dialog title={activityTexts.undo.title} isOpen close={close} isWide={isUpdate}>
      <UndoForm
        key={id}
        target={[id]}
        undo={(client, options) => client.activity.undo({ storeId, id, ...options })}
        labelOf={() => activityTexts.undo.action}
        close={close}
        choose={choose}
      >
        {() => (
          <>
            <p>{undoSentence(entry, resourceName)}</p>
            {isUpdate ? (
              <DifferencesTable
                caption={activityTexts.undo.restoredValues}
                differences={changesOf({ ...entry, before: after, after: before }, { currency, dates })}
                before={activityTexts.undo.current}
                after={activityTexts.undo.afterUndo}
              />
            ) : undefined}
          </>
        )}
      </UndoForm>
    </Dialog>
  )
}

interface UndoSpanProps {
  readonly actorId: string
  readonly since: string
  /** End of the span, exclusive. */
  readonly until: string
  readonly close: () => void
}

/** Dry run and undo of everything that an actor wrote in a time span. */
export const UndoSpanForm = ({ actorId, close, since, until }: UndoSpanProps) => {
  const storeId = useStoreId()
  return (
    <UndoForm
      key={`${since} ${until}`}
      target={[actorId, since, until]}
      undo={(client, options) => client.activity.undoSpan({ storeId, actorId, since, until, ...options })}
      labelOf={(changes) => (changes === 0 ? activityTexts.span.noChanges : activityTexts.span.undoChanges(changes))}
      close={close}
    >
      {({ resource }) => <p>{undoSpanSentence(resource)}</p>}
    </UndoForm>
  )
}

const HOURS = [
  ["1", activityTexts.span.lastHour],
  ["24", activityTexts.span.lastDay]
] as const

/** Option with time fields. */
const CUSTOM = "custom"

/** Value of a datetime-local input, in the time zone of the browser. */
const localDateTime = (at: number) => new Date(at).toLocaleString("sv").slice(0, 16).replace(" ", "T")

/** Time of a datetime-local input. Undefined if it is not valid. */
const timeIn = (text: string) => {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

interface UndoSpanDialogProps {
  readonly actorId: string
  readonly name: string
  readonly close: () => void
}

/** Undoes everything that an actor wrote in a chosen period. */
export const UndoSpanDialog = ({ actorId, close, name }: UndoSpanDialogProps) => {
  const { time } = useDates()
  const [now] = useState(Date.now)
  const [choice, setChoice] = useState<string>(HOURS[0][0])
  const [start, setStart] = useState(() => localDateTime(now - 3_600_000))
  const [end, setEnd] = useState("")
  const isCustom = choice === CUSTOM
  const since = isCustom ? timeIn(start) : new Date(now - Number(choice) * 3_600_000).toISOString()
  const isUntilNow = !isCustom || end === ""
  // Tolerates clock differences between browser and service.
  const until = isUntilNow ? new Date(now + 60_000).toISOString() : timeIn(end)
  const isSpan = since !== undefined && until !== undefined && since < until
  return (
    <Dialog title={activityTexts.span.title(name)} isOpen close={close}>
      <SelectField label={activityTexts.span.period} value={choice} onChange={({ target }) => setChoice(target.value)}>
        {HOURS.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
        <option value={CUSTOM}>{activityTexts.span.custom}</option>
      </SelectField>
      {isCustom ? (
        <>
          <TextField
            label={activityTexts.span.start}
            type="datetime-local"
            value={start}
            max={localDateTime(now)}
            problem={since === undefined ? activityTexts.span.invalidStart : undefined}
            onChange={({ target }) => setStart(target.value)}
          />
          <TextField
            label={activityTexts.span.end}
            hint={activityTexts.span.endHint}
            type="datetime-local"
            value={end}
            min={start}
            problem={since === undefined || isSpan ? undefined : activityTexts.span.invalidEnd}
            onChange={({ target }) => setEnd(target.value)}
          />
        </>
      ) : undefined}
      {isSpan ? (
        <>
          <MutedText>
            {isUntilNow
              ? activityTexts.span.sinceStart(time(since))
              : activityTexts.span.startToEnd(time(since), time(until))}
          </MutedText>
          <UndoSpanForm actorId={actorId} since={since} until={until} close={close} />
        </>
      ) : undefined}
    </Dialog>
  )
}
