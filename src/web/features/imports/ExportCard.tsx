import { useState } from "react"
import { DataKind } from "../../../domain/imports/DataKind.ts"
import { ExportForm } from "../../shared/ui/form/Export.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card } from "../../shared/ui/layout/Page.tsx"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.export

/** Exports all data of a kind to a file. */
export const ExportCard = () => {
  const [kind, setKind] = useState<DataKind>("products")
  return (
    <Card title={texts.title}>
      <ExportForm content={{ kind }} action={texts.start}>
        <SelectField
          label={texts.kind}
          value={kind}
          onChange={({ target }) => setKind(DataKind.literals.find((one) => one === target.value) ?? kind)}
        >
          {DataKind.literals.map((one) => (
            <option key={one} value={one}>
              {importTexts.kinds[one]}
            </option>
          ))}
        </SelectField>
      </ExportForm>
    </Card>
  )
}
