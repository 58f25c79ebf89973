import { differencesOf } from "../../data/differences.ts"
import { Dialog } from "../../ui/layout/Dialog.tsx"
import { DifferencesTable } from "../../ui/display/DifferencesTable.tsx"
import { useStoreId } from "../store.ts"
import type { NamedEntry } from "./entries.ts"
import { UndoForm } from "./UndoForm.tsx"
import { undoSentence } from "./undoPreview.ts"

interface UndoDialogProps {
  readonly entry: NamedEntry
  readonly close: () => void
  /** Opens the dialog for another entry. */
  readonly choose: (entry: NamedEntry) => void
}

/** Undoes one change. */
export const UndoDialog = ({ choose, close, entry }: UndoDialogProps) => {
  const storeId = useStoreId()
  const { after, before, id, resourceName } = entry
  const isUpdate = before !== null && after !== null
  return (
    <Dialog title="Undo this change" isOpen close={close} isWide={isUpdate}>
      <UndoForm
        key={id}
        target={[id]}
        undo={(client, how) => client.activity.undo({ storeId, id, ...how })}
        labelOf={() => "Undo change"}
        close={close}
        choose={choose}
      >
        {() => (
          <>
            <p>{undoSentence(entry, resourceName)}</p>
            {isUpdate ? (
              <DifferencesTable
                caption="Restored values"
                differences={differencesOf(after, before)}
                before="Current"
                after="After undo"
              />
            ) : undefined}
          </>
        )}
      </UndoForm>
    </Dialog>
  )
}
