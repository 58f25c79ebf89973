import { useStoreId } from "../../shared/data/store.ts"
import { Page, Stack } from "../../shared/ui/layout/Page.tsx"
import { ExportCard } from "./ExportCard.tsx"
import { ImportCard } from "./ImportCard.tsx"
import { importTexts } from "./importTexts.ts"

/** Import of a file, and export of a kind of data. */
export const ImportPage = () => {
  const storeId = useStoreId()
  return (
    <Page title={importTexts.title}>
      <Stack>
        <ImportCard storeId={storeId} />
        <ExportCard />
      </Stack>
    </Page>
  )
}
