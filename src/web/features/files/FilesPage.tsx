import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { UsedFile } from "../../../domain/media/File.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Picture } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { TextField } from "../../shared/ui/form/Field.tsx"
import { Menu } from "../../shared/ui/form/Menu.tsx"
import { SaveForm, UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { Confirm, Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Page, Row } from "../../shared/ui/layout/Page.tsx"
import { FileFacts, FileList } from "./FileList.tsx"
import css from "./Files.module.css"
import { fileTexts } from "./fileTexts.ts"
import { UploadArea } from "./UploadArea.tsx"
import { useUploads } from "./uploads.ts"

interface FileDialogProps {
  readonly storeId: StoreId
  readonly file: UsedFile
  readonly close: () => void
}

const AltDialog = ({ close, file: { alt, id }, storeId }: FileDialogProps) => {
  const [text, setText] = useState(alt)
  const saving = useRpcMutation({
    write: (client, next: string, idempotencyKey) => client.files.update({ storeId, id, alt: next, idempotencyKey }),
    invalidates: [[storeId, "files"]],
    onSuccess: () => {
      toast(fileTexts.alt.saved)
      close()
    }
  })
  return (
    <Dialog title={fileTexts.alt.edit} isOpen close={close}>
      {saving.error === null ? undefined : <ErrorNotice error={saving.error} />}
      <SaveForm
        className={css["alt"]}
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate(text)
        }}
      >
        <TextField
          label={fileTexts.alt.label}
          hint={fileTexts.alt.hint}
          maxLength={512}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Row>
          <Button kind="strong" type="submit" isBusy={saving.isPending}>
            {fileTexts.alt.save}
          </Button>
        </Row>
      </SaveForm>
    </Dialog>
  )
}

/** Asks before a file is deleted, and says which use it has. */
const DeleteDialog = ({ close, file: { id, name, usage }, storeId }: FileDialogProps) => {
  const deleting = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.files.delete({ storeId, id, idempotencyKey }),
    invalidates: [[storeId, "files"]],
    onSuccess: () => {
      toast(fileTexts.delete.deleted(name))
      close()
    }
  })
  return (
    <Confirm
      title={fileTexts.delete.title(name)}
      action={fileTexts.delete.action}
      isOpen
      close={close}
      confirm={() => deleting.mutate()}
      isBusy={deleting.isPending}
      error={deleting.error}
    >
      {usage === 0 ? fileTexts.delete.unused : fileTexts.delete.used(usage)}
    </Confirm>
  )
}

const route = getRouteApi("/dashboard/member/$storeId/files")

/** Pictures of the store. */
export const FilesPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<{ readonly dialog: "alt" | "delete"; readonly file: UsedFile }>()
  const close = () => setOpen(undefined)
  const uploads = useUploads(storeId, ({ name }) => {
    toast(fileTexts.upload.uploaded(name))
    void queryClient.invalidateQueries({ queryKey: [storeId, "files"] })
  })
  return (
    <Page title={fileTexts.list.title} isWide>
      <UploadArea uploads={uploads} />
      <FileList storeId={storeId} search={search} change={(next) => void navigate({ search: next, replace: true })}>
        {(file) => (
          <>
            <Picture url={file.url} alt={file.alt} color={file.color} isLarge />
            <div className={css["title"]}>
              <a className={css["name"]} href={file.url} target="_blank" rel="noreferrer">
                {file.name}
              </a>
              <Menu
                label="⋯"
                kind="quiet"
                name={fileTexts.list.actions(file.name)}
                items={[
                  { name: fileTexts.alt.edit, choose: () => setOpen({ dialog: "alt", file }) },
                  { name: fileTexts.delete.action, choose: () => setOpen({ dialog: "delete", file }) }
                ]}
              />
            </div>
            <FileFacts file={file} />
          </>
        )}
      </FileList>
      {open?.dialog === "alt" ? <AltDialog storeId={storeId} file={open.file} close={close} /> : undefined}
      {open?.dialog === "delete" ? <DeleteDialog storeId={storeId} file={open.file} close={close} /> : undefined}
      <UnsavedChangesGuard isUnsaved={uploads.pending.length > 0}>{fileTexts.upload.unfinished}</UnsavedChangesGuard>
    </Page>
  )
}
