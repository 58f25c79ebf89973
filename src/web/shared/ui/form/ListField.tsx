import { type KeyboardEvent, useState } from "react"
import { Field, type FieldTexts } from "./Field.tsx"
import fieldCss from "./Field.module.css"
import css from "./ListField.module.css"
import { uiTexts } from "../uiTexts.ts"

interface ListFieldProps extends FieldTexts {
  readonly label: string
  readonly values: ReadonlyArray<string>
  readonly change: (values: ReadonlyArray<string>) => void
  /** Singular name of an item, such as "tag". */
  readonly itemName: string
  /** Separates items that are typed or pasted together. */
  readonly separator?: string
}

/** Ordered list of unique texts. Enter adds an item. */
export const ListField = ({ change, hint, label, itemName, problem, separator, values }: ListFieldProps) => {
  const [typed, setTyped] = useState("")
  const add = () => {
    const items = (separator === undefined ? [typed] : typed.split(separator)).map((item) => item.trim())
    const added = [...new Set(items)].filter((item) => item !== "" && !values.includes(item))
    setTyped("")
    if (added.length > 0) change([...values, ...added])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault()
      add()
    } else if (event.key === "Backspace" && typed === "" && values.length > 0) change(values.slice(0, -1))
  }
  return (
    <div className={css["list"]}>
      <Field label={label} hint={hint} problem={problem}>
        {(described) => (
          <input
            {...described}
            className={fieldCss["control"]}
            value={typed}
            placeholder={uiTexts.listField.placeholder(itemName)}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={onKeyDown}
            onBlur={add}
          />
        )}
      </Field>
      {values.length === 0 ? undefined : (
        <ul className={css["values"]} aria-label={uiTexts.listField.currentValues(label)}>
          {values.map((value) => (
            <li key={value} className={css["value"]}>
              {value}
              <button
                type="button"
                aria-label={uiTexts.listField.remove(value)}
                onClick={() => change(values.filter((other) => other !== value))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
