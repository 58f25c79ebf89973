import { useState } from "react"
import type { UsedFile } from "../../../domain/media/File.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { Picture } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Row } from "../../shared/ui/layout/Page.tsx"
import { FileFacts, FileList } from "./FileList.tsx"
import css from "./Files.module.css"
import type { FileSearch } from "./fileSearch.ts"
import { fileTexts } from "./fileTexts.ts"

interface FilePickerProps {
  readonly close: () => void
  /** True if one file is chosen. */
  readonly isSingle?: boolean
  /** Receives the files in the order in which they were selected. */
  readonly choose: (files: ReadonlyArray<UsedFile>) => void
}

/** Dialog that chooses stored files. */
export const FilePicker = ({ choose, close, isSingle = false }: FilePickerProps) => {
  const storeId = useStoreId()
  const [search, setSearch] = useState<FileSearch>({})
  const [chosen, setChosen] = useState<ReadonlyArray<UsedFile>>([])
  const toggle = (file: UsedFile) =>
    setChosen((now) => {
      if (now.some(({ id }) => id === file.id)) return now.filter(({ id }) => id !== file.id)
      return isSingle ? [file] : [...now, file]
    })
  const finish = () => {
    choose(chosen)
    close()
  }
  return (
    <Dialog title={fileTexts.picker.title} isOpen close={close} isWide>
      <div className={css["picker"]}>
        <FileList storeId={storeId} search={search} change={setSearch}>
          {(file) => (
            <label className={css["choice"]}>
              <input type="checkbox" checked={chosen.some(({ id }) => id === file.id)} onChange={() => toggle(file)} />
              <Picture url={file.url} alt="" color={file.color} isLarge />
              <span className={css["name"]}>{file.name}</span>
              <FileFacts file={file} />
            </label>
          )}
        </FileList>
      </div>
      <Row>
        <Button kind="strong" disabled={chosen.length === 0} onClick={finish}>
          {chosen.length === 0 ? fileTexts.picker.none : fileTexts.picker.add(chosen.length)}
        </Button>
        <Button onClick={close}>{fileTexts.upload.cancel}</Button>
      </Row>
    </Dialog>
  )
}
