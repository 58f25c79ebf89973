import { useState } from "react"
import { uiTexts } from "../../sharedTexts.ts"
import { Button } from "../form/Button.tsx"
import { TextField } from "../form/Field.tsx"
import { UnsavedChangesGuard } from "../form/SaveForm.tsx"
import { Row, Stack } from "../layout/Page.tsx"
import css from "./Display.module.css"

interface CodeBlockProps {
  readonly title: string
  readonly text: string
  /** Wraps long lines, for text that is not code. */
  readonly isWrapped?: boolean
}

/** Preformatted text with a copy button. */
export const CodeBlock = ({ isWrapped = false, text, title }: CodeBlockProps) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <div className={css["code"]}>
      <div className={css["codeHeader"]}>
        <h3>{title}</h3>
        <Row>
          <output className={css["done"]}>{copied ? uiTexts.copy.copied : ""}</output>
          <Button kind="quiet" aria-label={uiTexts.copy.copyText(title)} onClick={() => void copy()}>
            {uiTexts.copy.copy}
          </Button>
        </Row>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region. */}
      <section className={css["lines"]} tabIndex={0} aria-label={title}>
        <pre className={isWrapped ? css["wrapped"] : undefined}>
          <code>{text}</code>
        </pre>
      </section>
    </div>
  )
}

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
