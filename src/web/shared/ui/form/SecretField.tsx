import { useState } from "react"
import { Button } from "./Button.tsx"
import { TextField } from "./Field.tsx"
import { UnsavedChangesGuard } from "./UnsavedChangesGuard.tsx"
import { Row, Stack } from "../layout/Page.tsx"
import { uiTexts } from "../uiTexts.ts"

/** Secret that is shown once, with a copy button. Asks before it is lost without a copy. */
export const SecretField = ({
  hint,
  label,
  value
}: {
  readonly hint: string
  readonly label: string
  readonly value: string
}) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <Stack>
      <TextField
        label={label}
        hint={hint}
        value={value}
        readOnly
        onFocus={(event) => event.target.select()}
        onCopy={() => setCopied(true)}
      />
      <Row>
        <Button onClick={() => void copy()}>{uiTexts.copy.copySecret(label.toLowerCase())}</Button>
        <output>{copied ? uiTexts.copy.copied : ""}</output>
      </Row>
      <UnsavedChangesGuard isUnsaved={!copied}>
        <p>{uiTexts.copy.notCopied}</p>
      </UnsavedChangesGuard>
    </Stack>
  )
}
