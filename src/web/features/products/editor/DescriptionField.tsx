import { useCallback, useId, useMemo, useRef, useState } from "react"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { TextArea } from "../../../shared/ui/form/Field.tsx"
import fieldCss from "../../../shared/ui/form/Form.module.css"
import { Row } from "../../../shared/ui/layout/Page.tsx"
import css from "../Products.module.css"
import type { DescriptionEditor, TextBoxNames } from "./DescriptionEditor.tsx"
import { isEditable, previewNodes } from "./descriptionHtml.ts"
import { productTexts } from "../productTexts.ts"

interface DescriptionFieldProps {
  readonly label: string
  readonly problem: string | undefined
  readonly value: string
  readonly change: (value: string) => void
}

/**
 * Description as formatted text or as its source. The editor is large, so it loads on focus. A description that it
 * cannot represent has only its source.
 */
export const DescriptionField = ({ change, label, problem, value }: DescriptionFieldProps) => {
  const id = useId()
  const [isSourceWanted, setSourceWanted] = useState(false)
  const [state, setState] = useState<"closed" | "loading" | "failed">("closed")
  const [editor, setEditor] = useState<{ readonly Editor: typeof DescriptionEditor; readonly hasFocus: boolean }>()
  const preview = useRef<HTMLDivElement>(null)
  const isKnown = useMemo(() => isEditable(value), [value])
  const fillPreview = useCallback(
    (box: HTMLDivElement | null) => {
      preview.current = box
      box?.replaceChildren(...previewNodes(value))
    },
    [value]
  )

  const load = async () => {
    if (state === "loading") return
    setState("loading")
    try {
      const { DescriptionEditor: Editor } = await import("./DescriptionEditor.tsx")
      setEditor({ Editor, hasFocus: preview.current === document.activeElement })
      setState("closed")
    } catch {
      setSourceWanted(true)
      setState("failed")
    }
  }

  if (isSourceWanted || !isKnown) {
    const hint = isKnown ? productTexts.description.hint : productTexts.description.unknown
    return (
      <div className={css["description"]}>
        <TextArea
          label={label}
          hint={state === "failed" ? productTexts.description.failed : hint}
          problem={problem}
          rows={8}
          value={value}
          onChange={({ target }) => {
            setSourceWanted(true)
            change(target.value)
          }}
        />
        {isKnown ? (
          <Row>
            <Button kind="quiet" onClick={() => setSourceWanted(false)}>
              {productTexts.description.editText}
            </Button>
          </Row>
        ) : undefined}
      </div>
    )
  }

  const names: TextBoxNames = {
    "aria-labelledby": `${id}-label`,
    "aria-describedby": `${id}-description`,
    ...(problem === undefined ? {} : { "aria-invalid": "true" })
  }
  return (
    <div className={css["description"]}>
      <div className={fieldCss["field"]}>
        <span id={names["aria-labelledby"]} className={fieldCss["label"]}>
          {label}
        </span>
        {editor === undefined ? (
          <div
            {...names}
            ref={fillPreview}
            className={`${fieldCss["control"]} ${css["text"]}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- A textarea has no formatted text.
            role="textbox"
            aria-multiline
            aria-busy={state === "loading"}
            tabIndex={0}
            onFocus={() => void load()}
          />
        ) : (
          <editor.Editor names={names} value={value} change={change} hasFocus={editor.hasFocus} />
        )}
        <p id={names["aria-describedby"]} className={problem === undefined ? fieldCss["hint"] : fieldCss["problem"]}>
          {problem ?? (state === "loading" ? productTexts.description.loading : undefined)}
        </p>
      </div>
      <Row>
        <Button kind="quiet" onClick={() => setSourceWanted(true)}>
          {productTexts.description.editSource}
        </Button>
      </Row>
    </div>
  )
}
