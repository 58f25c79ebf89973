import { Camera, Upload as UploadIcon } from "lucide-react"
import { type DragEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react"
import { Button } from "../../shared/ui/form/Button.tsx"
import { MutedText, Row } from "../../shared/ui/layout/Page.tsx"
import css from "./Files.module.css"
import { fileTexts } from "./fileTexts.ts"
import { ACCEPTED, MAX_MEBIBYTES, type Uploads } from "./uploads.ts"

const isText = (target: EventTarget | null) =>
  target instanceof Element && target.closest("[contenteditable], [role=dialog], [role=alertdialog]") !== null

/** Pasted pictures. Spreadsheets copy a picture of their cells beside the text, which is meant. */
const pastedFiles = ({ clipboardData, target }: ClipboardEvent): ReadonlyArray<File> =>
  clipboardData === null || clipboardData.types.includes("text/plain") || isText(target)
    ? []
    : [...clipboardData.files].filter(({ type }) => type.startsWith("image/"))

const hasFiles = ({ dataTransfer }: { readonly dataTransfer: DataTransfer | null }) =>
  dataTransfer?.types.includes("Files") === true

/** Keeps the page open if files are dropped beside the area: the browser would show them instead. */
const keepPage = (event: globalThis.DragEvent) => {
  if (hasFiles(event)) event.preventDefault()
}

/** Running and failed uploads. */
const UploadList = ({ uploads: { pending, remove, retry } }: { readonly uploads: Uploads }) =>
  pending.length === 0 ? undefined : (
    <ul className={css["uploads"]} aria-label={fileTexts.upload.uploads}>
      {pending.map(({ file: { name }, key, problem, progress }) => (
        <li key={key} className={css["upload"]}>
          <span className={css["name"]}>{name}</span>
          {problem === undefined ? (
            <progress className={css["progress"]} value={progress} aria-label={fileTexts.upload.progress(name)} />
          ) : (
            <p className={css["problem"]} role="alert">
              {problem}
            </p>
          )}
          <Row>
            {problem === undefined ? undefined : (
              <Button kind="quiet" aria-label={fileTexts.upload.retryUpload(name)} onClick={() => retry(key)}>
                {fileTexts.upload.retry}
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={(problem === undefined ? fileTexts.upload.cancelUpload : fileTexts.upload.removeUpload)(name)}
              onClick={() => remove(key)}
            >
              {problem === undefined ? fileTexts.upload.cancel : fileTexts.upload.remove}
            </Button>
          </Row>
        </li>
      ))}
    </ul>
  )

interface FileButtonProps {
  readonly children: ReactNode
  readonly add: (files: Iterable<File>) => void
  /** True for one picture of the camera. */
  readonly isCamera?: boolean
}

/** Button that opens the file chooser, or the camera of a phone. */
const FileButton = ({ add, children, isCamera = false }: FileButtonProps) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <span className={isCamera ? css["camera"] : undefined}>
      <Button onClick={() => input.current?.click()}>{children}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={isCamera ? "image/*" : ACCEPTED}
        {...(isCamera ? { capture: "environment" } : { multiple: true })}
        onChange={({ target }) => {
          add(target.files ?? [])
          // The same file can be chosen again.
          target.value = ""
        }}
      />
    </span>
  )
}

interface UploadAreaProps {
  readonly uploads: Uploads
  /** Further buttons. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/** Area that takes pictures by drop, paste, file chooser and camera, and shows their uploads. */
export const UploadArea = ({ actions, children, uploads }: UploadAreaProps) => {
  const [isOver, setOver] = useState(false)
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => paste(event)
    addEventListener("paste", onPaste)
    addEventListener("dragover", keepPage)
    addEventListener("drop", keepPage)
    return () => {
      removeEventListener("paste", onPaste)
      removeEventListener("dragover", keepPage)
      removeEventListener("drop", keepPage)
    }
  }, [])
  const over = (event: DragEvent) => setOver(hasFiles(event))
  const drop = (event: DragEvent) => {
    setOver(false)
    uploads.add(event.dataTransfer.files)
  }
  return (
    <div
      className={`${css["area"]} ${isOver ? css["over"] : ""}`}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
      <UploadList uploads={uploads} />
      <Row>
        <FileButton add={uploads.add}>
          <UploadIcon size={16} aria-hidden /> {fileTexts.upload.choose}
        </FileButton>
        <FileButton add={uploads.add} isCamera>
          <Camera size={16} aria-hidden /> {fileTexts.upload.take}
        </FileButton>
        {actions}
      </Row>
      <MutedText>{fileTexts.upload.advice(MAX_MEBIBYTES)}</MutedText>
    </div>
  )
}
