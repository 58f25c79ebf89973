import { useState } from "react"
import { Button } from "../form/Button.tsx"
import css from "./CodeBlock.module.css"
import { Row } from "../layout/Page.tsx"
import { uiTexts } from "../uiTexts.ts"

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
      <div className={css["header"]}>
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
