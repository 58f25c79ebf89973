import { Delimiter, type Layout } from "../../../domain/imports/Layout.ts"
import { Decimal } from "../../../domain/imports/Numerals.ts"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.choose

interface LayoutProps {
  readonly detected: Layout
  /** Choices of the member. Undefined: as detected. */
  readonly delimiter: Delimiter | undefined
  readonly decimal: Decimal | undefined
  readonly onDelimiter: (delimiter: Delimiter) => void
  readonly onDecimal: (decimal: Decimal) => void
}

/** Delimiter and decimal sign of a CSV, as detected or chosen. */
export const LayoutFields = ({ decimal, delimiter, detected, onDecimal, onDelimiter }: LayoutProps) => (
  <>
    <SelectField
      label={texts.delimiter}
      value={delimiter ?? detected.delimiter}
      onChange={({ target }) =>
        onDelimiter(Delimiter.literals.find((one) => one === target.value) ?? detected.delimiter)
      }
    >
      {Delimiter.literals.map((one) => (
        <option key={one} value={one}>
          {texts.delimiters[one]}
        </option>
      ))}
    </SelectField>
    <SelectField
      label={texts.decimal}
      value={decimal ?? detected.decimal ?? ""}
      onChange={({ target }) => {
        const chosen = Decimal.literals.find((one) => one === target.value)
        if (chosen !== undefined) onDecimal(chosen)
      }}
    >
      {detected.decimal === null && decimal === undefined ? <option value="">{texts.undecided}</option> : undefined}
      {Decimal.literals.map((one) => (
        <option key={one} value={one}>
          {texts.decimals[one]}
        </option>
      ))}
    </SelectField>
  </>
)
