import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../../../shared/ui/layout/Page.tsx"
import { useVersionChoices, VersionChoice } from "../../../shared/ui/form/VersionChoice.tsx"
import { fieldText } from "./fieldText.ts"
import type { Draft, Field } from "./productDraft.ts"
import { productTexts } from "../productTexts.ts"

interface ConflictDialogProps {
  readonly fields: ReadonlyArray<Field>
  readonly yours: Draft
  readonly theirs: Draft
  readonly isOpen: boolean
  readonly close: () => void
  /** Saves with the other user's values for these fields. */
  readonly save: (theirs: ReadonlyArray<Field>) => void
}

/** Resolves fields that two users changed. Nothing is lost until a version is selected. */
export const ConflictDialog = ({ close, fields, isOpen, save, theirs, yours }: ConflictDialogProps) => {
  const { choose, chosen } = useVersionChoices<Field>()
  return (
    <Dialog title={productTexts.conflict.title} isOpen={isOpen} close={close} isWide>
      <MutedText>{productTexts.conflict.advice}</MutedText>
      <Stack>
        {fields.map((field) => (
          <VersionChoice
            key={field}
            name={productTexts.fields[field]}
            yours={fieldText(yours, field)}
            theirs={fieldText(theirs, field)}
            isTheirs={chosen.has(field)}
            choose={(isTheirs) => choose(field, isTheirs)}
          />
        ))}
      </Stack>
      <Row>
        <Button kind="strong" onClick={() => save(fields.filter((field) => chosen.has(field)))}>
          {productTexts.conflict.save}
        </Button>
        <Button onClick={close}>{productTexts.conflict.continueEditing}</Button>
      </Row>
    </Dialog>
  )
}
