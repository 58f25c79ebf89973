import { type ComponentProps, type ReactNode, useId } from "react"
import css from "./Field.module.css"

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
