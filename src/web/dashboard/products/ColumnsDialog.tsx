import { CheckField, Fieldset } from "../../ui/Field.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { productColumns } from "./productColumns.tsx"
import { type ColumnName, COLUMNS } from "./listView.ts"

interface ColumnsDialogProps {
  readonly chosen: ReadonlyArray<ColumnName>
  readonly choose: (columns: ReadonlyArray<ColumnName>) => void
  readonly isOpen: boolean
  readonly close: () => void
}

/** Selects the columns of the product list. */
export const ColumnsDialog = ({ choose, chosen, close, isOpen }: ColumnsDialogProps) => (
  <Dialog title="Edit columns" isOpen={isOpen} close={close}>
    <Fieldset legend="Columns to show" hint="Saved for this store in this browser.">
      {COLUMNS.map((column) => (
        <CheckField
          key={column}
          label={productColumns[column].name}
          checked={chosen.includes(column)}
          onChange={({ target }) =>
            choose(COLUMNS.filter((one) => (one === column ? target.checked : chosen.includes(one))))
          }
        />
      ))}
    </Fieldset>
  </Dialog>
)
