import { useId, useState } from "react"
import css from "./VersionChoice.module.css"
import { uiTexts } from "../uiTexts.ts"

/** Fields for which the other user's version is selected. */
export const useVersionChoices = <Field,>() => {
  const [chosen, setChosen] = useState<ReadonlySet<Field>>(new Set())
  const choose = (field: Field, isTheirs: boolean) => {
    const others = [...chosen].filter((one) => one !== field)
    setChosen(new Set(isTheirs ? [...others, field] : others))
  }
  return { chosen, choose }
}

interface VersionChoiceProps {
  /** Label of the field. */
  readonly name: string
  readonly yours: string
  readonly theirs: string
  readonly isTheirs: boolean
  readonly choose: (isTheirs: boolean) => void
}

/** Both versions of a field, to select one of them. */
export const VersionChoice = ({ choose, isTheirs, name, theirs, yours }: VersionChoiceProps) => {
  const group = useId()
  const version = (label: string, text: string, isChosen: boolean, chooseIt: () => void) => (
    <div className={css["version"]}>
      <label>
        <input type="radio" name={group} checked={isChosen} onChange={chooseIt} />
        {label}
      </label>
      <p>{text === "" ? uiTexts.versions.empty : text}</p>
    </div>
  )
  return (
    <fieldset>
      <legend>{name}</legend>
      <div className={css["versions"]}>
        {version(uiTexts.versions.yours, yours, !isTheirs, () => choose(false))}
        {version(uiTexts.versions.theirs, theirs, isTheirs, () => choose(true))}
      </div>
    </fieldset>
  )
}
