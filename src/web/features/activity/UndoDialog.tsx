import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { DifferencesTable } from "../../shared/ui/display/DifferencesTable.tsx"
import { useDates } from "../../shared/data/format.ts"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { changesOf, type NamedEntry } from "./entries.ts"
import { UndoForm } from "./UndoForm.tsx"
import { undoSentence } from "./undoPreview.ts"
import { activityTexts } from "./activityTexts.ts"

interface UndoDialogProps {
  readonly entry: NamedEntry
  readonly close: () => void
  /** Opens the dialog for another entry. */
  readonly choose: (entry: NamedEntry) => void
}

/** Undoes one change. */
export const UndoDialog = ({ choose, close, entry }: UndoDialogProps) => {
  const storeId = useStoreId()
  const dates = useDates()
  const currency = useStore().data?.currencyCode
  const { after, before, id, resourceName } = entry
  const isUpdate = before !== null && after !== null
  return (
    <Dialog title={activityTexts.undo.title} isOpen close={close} isWide={isUpdate}>
      <UndoForm
        key={id}
        target={[id]}
        undo={(client, options) => client.activity.undo({ storeId, id, ...options })}
        labelOf={() => activityTexts.undo.action}
        close={close}
        choose={choose}
      >
        {() => (
          <>
            <p>{undoSentence(entry, resourceName)}</p>
            {isUpdate ? (
              <DifferencesTable
                caption={activityTexts.undo.restoredValues}
                differences={changesOf({ ...entry, before: after, after: before }, { currency, dates })}
                before={activityTexts.undo.current}
                after={activityTexts.undo.afterUndo}
              />
            ) : undefined}
          </>
        )}
      </UndoForm>
    </Dialog>
  )
}
