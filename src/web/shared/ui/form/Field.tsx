import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useState
} from "react"
import { uiTexts } from "../../sharedTexts.ts"
import css from "./Form.module.css"

/** Texts of a form field. */
export interface FieldTexts {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Validation message. */
  readonly problem?: string | undefined
}

interface FieldProps extends FieldTexts {
  readonly children: (control: {
    readonly id: string
    readonly "aria-describedby": string | undefined
    readonly "aria-invalid": true | undefined
  }) => ReactNode
}

/** Label, control, hint and validation message, linked for screen readers. */
export const Field = ({ children, hint, label, problem }: FieldProps) => {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const problemId = problem === undefined ? undefined : `${id}-problem`
  const describedBy = [hintId, problemId].filter((one) => one !== undefined).join(" ")
  return (
    <div className={css["field"]}>
      <label htmlFor={id} className={css["label"]}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": problem === undefined ? undefined : true
      })}
      {hint === undefined ? undefined : (
        <p id={hintId} className={css["hint"]}>
          {hint}
        </p>
      )}
      {problem === undefined ? undefined : (
        <p id={problemId} className={css["problem"]}>
          {problem}
        </p>
      )}
    </div>
  )
}

type ControlProps<Control extends "input" | "select" | "textarea"> = FieldTexts & Omit<ComponentProps<Control>, "id">

const NUMBER_INPUT = { autoComplete: "off", inputMode: "decimal" } as const

export const TextField = ({ hint, label, problem, ...input }: ControlProps<"input">) => (
  <Field label={label} hint={hint} problem={problem}>
    {(described) => <input {...described} {...input} className={css["control"]} />}
  </Field>
)

/**
 * Number, with its text as typed. `typedNumbers.ts` parses it, because browsers read `type="number"` differently.
 */
export const NumberField = (props: ControlProps<"input">) => <TextField {...NUMBER_INPUT} {...props} />

export const TextArea = ({ hint, label, problem, ...input }: ControlProps<"textarea">) => (
  <Field label={label} hint={hint} problem={problem}>
    {(described) => <textarea rows={4} {...described} {...input} className={css["control"]} />}
  </Field>
)

export const SelectField = ({ hint, label, problem, ...input }: ControlProps<"select">) => (
  <Field label={label} hint={hint} problem={problem}>
    {(described) => <select {...described} {...input} className={css["control"]} />}
  </Field>
)

export const CheckField = ({ hint, label, problem, ...input }: ControlProps<"input">) => {
  const id = useId()
  return (
    <div className={css["check"]}>
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined && problem === undefined ? undefined : `${id}-description`}
        aria-invalid={problem === undefined ? undefined : true}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint === undefined && problem === undefined ? undefined : (
          <p id={`${id}-description`} className={problem === undefined ? css["hint"] : css["problem"]}>
            {problem ?? hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** Group of fields with a legend. */
export const Fieldset = ({
  children,
  hint,
  legend
}: {
  readonly children: ReactNode
  readonly hint?: ReactNode
  readonly legend: ReactNode
}) => (
  <fieldset className={css["fieldset"]}>
    <legend className={css["label"]}>{legend}</legend>
    {hint === undefined ? undefined : <p className={css["hint"]}>{hint}</p>}
    {children}
  </fieldset>
)

/** Fields side by side where there is space. */
export const Columns = ({ children }: { readonly children: ReactNode }) => (
  <div className={css["columns"]}>{children}</div>
)

interface CellFieldProps extends Omit<ComponentProps<"input">, "id" | "aria-label"> {
  /** Accessible name. Sighted users see the row and column instead. */
  readonly label: string
  readonly problem?: string | undefined
}

/** Text input in a table cell. */
export const CellField = ({ label, problem, ...input }: CellFieldProps) => (
  <input
    {...input}
    className={css["control"]}
    aria-label={label}
    aria-invalid={problem === undefined ? undefined : true}
    title={problem}
  />
)

/** Number in a table cell. */
export const NumberCell = (props: CellFieldProps) => <CellField {...NUMBER_INPUT} {...props} />

interface CellSelectProps extends Omit<ComponentProps<"select">, "id" | "aria-label"> {
  readonly label: string
  readonly choices: ReadonlyArray<string>
}

/** Choice in a table cell. A value that is no choice stays one. */
export const CellSelect = ({ choices, label, value, ...input }: CellSelectProps) => (
  <select {...input} value={value} className={css["control"]} aria-label={label}>
    {[...new Set(["", ...choices, String(value)])].map((choice) => (
      <option key={choice}>{choice}</option>
    ))}
  </select>
)

/** Milliseconds without typing after which the text is searched. */
const PAUSE_MILLIS = 200

interface SearchFieldProps extends FieldTexts {
  readonly placeholder?: string
  /** Text that is searched. It may change without typing, as by the back button. */
  readonly value: string
  readonly change: (text: string) => void
}

/** Search box that searches after a pause in typing. */
export const SearchField = ({ change, value, ...field }: SearchFieldProps) => {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  /** Last text that this box searched, whose arrival as `value` must not undo later typing. */
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    if (value !== sent) {
      setSent(value)
      setText(value)
    }
  }
  const send = useEffectEvent((next: string) => {
    setSent(next)
    change(next)
  })
  useEffect(() => {
    const next = text.trim()
    if (next === sent) return
    const timer = setTimeout(() => send(next), PAUSE_MILLIS)
    return () => clearTimeout(timer)
  }, [text, sent])
  return (
    <TextField {...field} type="search" maxLength={255} value={text} onChange={({ target }) => setText(target.value)} />
  )
}

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
    <div className={css["listField"]}>
      <Field label={label} hint={hint} problem={problem}>
        {(described) => (
          <input
            {...described}
            className={css["control"]}
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
