import { useState } from "react"
import { ChangedSince } from "../../../domain/journal/Undo.ts"
import { performed } from "../../../rpc/Client.ts"
import { count, time } from "../../data/Format.ts"
import { newKey, useAsked, useWrite } from "../../data/Queries.ts"
import { rehearsed } from "../../data/Rehearsal.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { Quiet, Row, Stack } from "../../ui/Page.tsx"
import { Answered, Trouble } from "../../ui/States.tsx"
import { consequences, undoneSentence } from "../activity/Undos.ts"
import { useUndone } from "../activity/useUndone.ts"
import { useStoreId } from "../Store.ts"

const HOURS = [
  ["1", "In the last hour"],
  ["24", "In the last 24 hours"]
] as const

/** A moment that somebody chooses. */
const MOMENT = "moment"

/** A moment as a field for times writes it, in the time zone of the browser. */
const localOf = (at: number) => new Date(at).toLocaleString("sv").slice(0, 16).replace(" ", "T")

/** The start of the span: nothing where no moment is chosen. */
const sinceOf = (choice: string, moment: string, now: number) => {
  const at = choice === MOMENT ? new Date(moment).getTime() : now - Number(choice) * 3_600_000
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

interface UndoSpanProps {
  readonly actorId: string
  readonly name: string
  readonly close: () => void
}

interface TriedProps extends UndoSpanProps {
  readonly since: string
  readonly until: string
}

/** What would be undone is tried and said, and then done: all of it or nothing. */
const Tried = ({ actorId, close, since, until }: TriedProps) => {
  const storeId = useStoreId()
  const span = { storeId, actorId, since, until }
  const tried = useAsked([storeId, "activity", "undoSpan", actorId, since, until], (client) =>
    rehearsed(client.activity.undoSpan({ ...span, idempotencyKey: newKey(), dryRun: true }))
  )
  const undone = useUndone()
  const undoing = useWrite({
    write: (client, _: void, idempotencyKey) => performed(client.activity.undoSpan({ ...span, idempotencyKey })),
    touches: [
      [storeId, "activity"],
      [storeId, "entries"]
    ],
    done: (answer) => {
      close()
      undone(answer)
    }
  })
  const { error } = undoing.error === null ? tried : undoing
  const many = tried.data?.resource.undone.length ?? 0
  return (
    <>
      {error instanceof ChangedSince ? (
        <p role="alert">
          <strong>{count(error.overlaps.length, "change")} of it cannot be undone together:</strong> others changed the
          same fields since. Choose a later time, or undo its changes one by one: each names what stands in its way.
        </p>
      ) : (
        <>
          {undoing.error === null ? undefined : <Trouble error={undoing.error} />}
          <Answered asked={tried} lines={3}>
            {(rehearsal) => (
              <Stack>
                <p>{undoneSentence(rehearsal.resource)}</p>
                {many === 0
                  ? undefined
                  : consequences(rehearsal).map((sentence) => <Quiet key={sentence}>{sentence}</Quiet>)}
              </Stack>
            )}
          </Answered>
        </>
      )}
      <Row>
        <Button
          kind="strong"
          disabled={many === 0 || tried.error !== null}
          isBusy={undoing.isPending}
          onClick={() => undoing.mutate()}
        >
          {many === 0 ? "Undo" : `Undo ${count(many, "change")}`}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </Row>
    </>
  )
}

/** Takes back all that somebody wrote since a time. */
export const UndoSpanDialog = ({ actorId, close, name }: UndoSpanProps) => {
  const [now] = useState(Date.now)
  const [choice, setChoice] = useState<string>(HOURS[0][0])
  const [moment, setMoment] = useState(() => localOf(now - 3_600_000))
  const since = sinceOf(choice, moment, now)
  return (
    <Dialog title={`Undo what ${name} did`} isOpen close={close}>
      <SelectField label="Which changes" value={choice} onChange={({ target }) => setChoice(target.value)}>
        {HOURS.map(([hours, words]) => (
          <option key={hours} value={hours}>
            {words}
          </option>
        ))}
        <option value={MOMENT}>Since a time that I choose</option>
      </SelectField>
      {choice === MOMENT ? (
        <TextField
          label="Since"
          type="datetime-local"
          value={moment}
          max={localOf(now)}
          problem={since === undefined ? "Choose a day and a time" : undefined}
          onChange={({ target }) => setMoment(target.value)}
        />
      ) : undefined}
      {since === undefined ? undefined : (
        <>
          <Quiet>From {time(since)} until now.</Quiet>
          <Tried
            key={since}
            actorId={actorId}
            name={name}
            close={close}
            since={since}
            // The clocks of the browser and the service may differ by some seconds.
            until={new Date(now + 60_000).toISOString()}
          />
        </>
      )}
    </Dialog>
  )
}
