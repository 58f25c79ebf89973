import { useState } from "react"
import { time } from "../../shared/data/format.ts"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import { UndoForm } from "../activity/UndoForm.tsx"
import { undoSpanSentence } from "../activity/undoPreview.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { agentTexts } from "./agentTexts.ts"

const HOURS = [
  ["1", agentTexts.undo.lastHour],
  ["24", agentTexts.undo.lastDay]
] as const

/** Option with a time field. */
const CUSTOM_START = "custom"

/** Value of a datetime-local input, in the time zone of the browser. */
const localDateTime = (at: number) => new Date(at).toLocaleString("sv").slice(0, 16).replace(" ", "T")

/** Start of the span. Undefined if the custom time is not valid. */
const sinceOf = (choice: string, startTime: string, now: number) => {
  const at = choice === CUSTOM_START ? new Date(startTime).getTime() : now - Number(choice) * 3_600_000
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

interface UndoSpanProps {
  readonly actorId: string
  readonly name: string
  readonly close: () => void
}

/** Undoes everything that an actor wrote since a time. */
export const UndoSpanDialog = ({ actorId, close, name }: UndoSpanProps) => {
  const storeId = useStoreId()
  const [now] = useState(Date.now)
  const [choice, setChoice] = useState<string>(HOURS[0][0])
  const [startTime, setStartTime] = useState(() => localDateTime(now - 3_600_000))
  const since = sinceOf(choice, startTime, now)
  // Tolerates clock differences between browser and service.
  const until = new Date(now + 60_000).toISOString()
  return (
    <Dialog title={agentTexts.undo.title(name)} isOpen close={close}>
      <SelectField label={agentTexts.undo.period} value={choice} onChange={({ target }) => setChoice(target.value)}>
        {HOURS.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
        <option value={CUSTOM_START}>{agentTexts.undo.customStart}</option>
      </SelectField>
      {choice === CUSTOM_START ? (
        <TextField
          label={agentTexts.undo.start}
          type="datetime-local"
          value={startTime}
          max={localDateTime(now)}
          problem={since === undefined ? agentTexts.undo.invalidStart : undefined}
          onChange={({ target }) => setStartTime(target.value)}
        />
      ) : undefined}
      {since === undefined ? undefined : (
        <>
          <MutedText>{agentTexts.undo.span(time(since))}</MutedText>
          <UndoForm
            key={since}
            target={[actorId, since]}
            undo={(client, options) => client.activity.undoSpan({ storeId, actorId, since, until, ...options })}
            labelOf={(changes) => (changes === 0 ? agentTexts.undo.noChanges : agentTexts.undo.undoChanges(changes))}
            close={close}
          >
            {({ resource }) => <p>{undoSpanSentence(resource)}</p>}
          </UndoForm>
        </>
      )}
    </Dialog>
  )
}
