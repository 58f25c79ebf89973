import { NumberField, SelectField, TextArea, TextField } from "../../../shared/ui/form/Field.tsx"
import type { Problems } from "./productInput.ts"
import type { Draft, Line } from "./productDraft.ts"
import { productTexts } from "../productTexts.ts"

/** Form state that the cards share. */
export interface FormState {
  readonly draft: Draft
  readonly problems: Problems
  readonly edit: (fields: Partial<Draft>) => void
}

/** First message of a field or of its parts. */
export const problemIn = (problems: Problems, field: string): string | undefined =>
  [...problems].find(([path]) => path === field || path.startsWith(`${field}.`))?.[1]

/** Messages without those of the edited fields. */
export const withoutEdited = (problems: Problems, edited: Partial<Draft>): Problems => {
  const isEdited = (path: string) => Object.hasOwn(edited, path.split(".", 1).join(""))
  return [...problems.keys()].some(isEdited) ? new Map([...problems].filter(([path]) => !isEdited(path))) : problems
}

/** Focuses the first invalid field after it is rendered. */
export const focusFirstProblem = (): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus())
}

interface LineFieldProps {
  readonly editing: FormState
  readonly field: Line
  readonly hint?: string
  readonly placeholder?: string
  readonly isNumber?: boolean
}

export const LineField = ({
  editing: { draft, edit, problems },
  field,
  isNumber = false,
  ...texts
}: LineFieldProps) => {
  const Control = isNumber ? NumberField : TextField
  return (
    <Control
      {...texts}
      label={productTexts.fields[field]}
      autoComplete="off"
      value={draft[field]}
      problem={problems.get(field)}
      onChange={({ target }) => edit({ [field]: target.value })}
    />
  )
}

/** Product kinds that the service and its imports know. Apps can store others. */
const PRODUCT_KINDS: Readonly<Record<string, string>> = productTexts.form.productKinds

export const ProductKindField = ({ draft: { productKind }, edit, problems }: FormState) => (
  <SelectField
    label={productTexts.fields.productKind}
    value={productKind}
    problem={problems.get("productKind")}
    onChange={({ target }) => edit({ productKind: target.value })}
  >
    {Object.entries({ [productKind]: productKind, ...PRODUCT_KINDS }).map(([kind, label]) => (
      <option key={kind} value={kind}>
        {label}
      </option>
    ))}
  </SelectField>
)

interface TextProps extends Omit<LineFieldProps, "isNumber"> {
  readonly rows?: number
  readonly spellCheck?: boolean
}

export const LinesField = ({ editing: { draft, edit, problems }, field, ...texts }: TextProps) => (
  <TextArea
    {...texts}
    label={productTexts.fields[field]}
    value={draft[field]}
    problem={problems.get(field)}
    onChange={({ target }) => edit({ [field]: target.value })}
  />
)
