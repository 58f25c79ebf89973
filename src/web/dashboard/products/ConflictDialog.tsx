import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Quiet, Row, Stack } from "../../ui/Page.tsx"
import css from "./Editor.module.css"
import { fieldNames, shownText } from "./FieldNames.ts"
import type { Draft, Field } from "./ProductDraft.ts"

interface ConflictDialogProps {
  readonly fields: ReadonlyArray<Field>
  readonly yours: Draft
  readonly theirs: Draft
  readonly isOpen: boolean
  readonly close: () => void
  /** Saves upon what somebody else saved, with these fields as they have them. */
  readonly save: (theirs: ReadonlyArray<Field>) => void
}

interface SideProps {
  readonly field: Field
  readonly name: string
  readonly text: string
  readonly isChosen: boolean
  readonly choose: () => void
}

const Side = ({ choose, field, isChosen, name, text }: SideProps) => (
  <label className={css["choice"]}>
    <span>
      <input type="radio" name={field} checked={isChosen} onChange={choose} /> {name}
    </span>
    <pre>{text}</pre>
  </label>
)

/** What somebody else saved beside what stands here, field by field, to choose from. Nothing of either is lost before. */
export const ConflictDialog = ({ close, fields, isOpen, save, theirs, yours }: ConflictDialogProps) => {
  const [given, setGiven] = useState<ReadonlySet<Field>>(new Set())
  const choose = (field: Field, isTheirs: boolean) => {
    const next = new Set(given)
    if (isTheirs) next.add(field)
    else next.delete(field)
    setGiven(next)
  }
  return (
    <Dialog title="Somebody else changed this product" isOpen={isOpen} close={close} isWide>
      <Quiet>Both of you changed these. Choose what shall stand. What only one of you changed stays.</Quiet>
      <Stack>
        {fields.map((field) => (
          <fieldset key={field} className={css["items"]}>
            <legend>
              <h3>{fieldNames[field]}</h3>
            </legend>
            <div className={css["choices"]}>
              <Side
                field={field}
                name="Yours"
                text={shownText(yours, field)}
                isChosen={!given.has(field)}
                choose={() => choose(field, false)}
              />
              <Side
                field={field}
                name="Theirs"
                text={shownText(theirs, field)}
                isChosen={given.has(field)}
                choose={() => choose(field, true)}
              />
            </div>
          </fieldset>
        ))}
      </Stack>
      <Row>
        <Button kind="strong" onClick={() => save(fields.filter((field) => given.has(field)))}>
          Save what is chosen
        </Button>
        <Button onClick={close}>Back to the form</Button>
      </Row>
    </Dialog>
  )
}
