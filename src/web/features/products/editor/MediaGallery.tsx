import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useEffect, useRef, useState } from "react"
import { indexAfterKey, indexWhileDragging, moveItem } from "../../../shared/data/reordering.ts"
import { Badge, Picture } from "../../../shared/ui/display/Values.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { CellField, TextField } from "../../../shared/ui/form/Field.tsx"
import { Menu } from "../../../shared/ui/form/Menu.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../../../shared/ui/layout/Page.tsx"
import { fileTexts } from "../../files/fileTexts.ts"
import { UploadArea } from "../../files/UploadArea.tsx"
import { ACCEPTED } from "../../files/uploads.ts"
import { productTexts } from "../productTexts.ts"
import { updateItem } from "./ItemLists.tsx"
import css from "./Media.module.css"
import { addPictures, removePicture } from "./pictures.ts"
import { type MediumDraft, newItemKey } from "./productDraft.ts"
import { type FormState, problemIn } from "./productFields.ts"

const texts = productTexts.media

const FilePicker = lazy(() => import("../../files/FilePicker.tsx").then(({ FilePicker }) => ({ default: FilePicker })))

interface Dragging {
  readonly from: number
  readonly to: number
}

/** Reorders tiles by mouse, pen or touch. Escape cancels. */
const useTileDrag = (drop: (from: number, to: number) => void) => {
  const [dragging, setDragging] = useState<Dragging>()
  const isDragging = dragging !== undefined
  useEffect(() => {
    if (!isDragging) return undefined
    const cancel = ({ key }: { readonly key: string }) => (key === "Escape" ? setDragging(undefined) : undefined)
    addEventListener("keydown", cancel)
    return () => removeEventListener("keydown", cancel)
  }, [isDragging])
  return {
    dragging,
    position: (index: number) => (dragging === undefined ? index : indexWhileDragging(dragging, index)),
    /** Event handlers of the drag handle of a tile. */
    handleProps: (index: number) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDragging({ from: index, to: index })
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        if (!isDragging) return
        const tile = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-position]")
        const to = Number(tile?.dataset["position"])
        if (Number.isInteger(to)) setDragging((now) => (now === undefined || now.to === to ? now : { ...now, to }))
      },
      onPointerUp: () => {
        if (dragging !== undefined && dragging.to !== dragging.from) drop(dragging.from, dragging.to)
        setDragging(undefined)
      },
      onPointerCancel: () => setDragging(undefined)
    })
  }
}

interface AddressDialogProps {
  readonly editing: FormState
  /** Key of the item, or undefined if the dialog is closed. */
  readonly of: string | undefined
  readonly close: () => void
}

/** Edits address and type of an item, which may also be a video or a picture of another host. */
const AddressDialog = ({ close, editing: { draft, edit, problems }, of: key }: AddressDialogProps) => {
  const { imageUrl, media } = draft
  const index = media.findIndex((medium) => medium.key === key)
  const medium = media[index]
  const change = (members: Partial<MediumDraft>) => {
    if (medium === undefined) return
    const isMain = members.url !== undefined && imageUrl === medium.url
    edit({
      media: updateItem(media, medium.key, members),
      ...(isMain || (members.url !== undefined && imageUrl === "") ? { imageUrl: members.url } : {})
    })
  }
  return (
    <Dialog title={texts.edit} isOpen={medium !== undefined} close={close}>
      <Stack>
        <TextField
          label={texts.address}
          placeholder={texts.urlPlaceholder}
          value={medium?.url ?? ""}
          problem={problems.get(`media.${index}.url`)}
          onChange={({ target }) => change({ url: target.value })}
        />
        <TextField
          label={texts.type}
          hint={texts.typeHint}
          value={medium?.type ?? ""}
          problem={problems.get(`media.${index}.type`)}
          onChange={({ target }) => change({ type: target.value })}
        />
      </Stack>
      <Row>
        <Button kind="strong" onClick={close}>
          {texts.done}
        </Button>
      </Row>
    </Dialog>
  )
}

/** Media of a product as tiles: ordered by drag or arrow keys, uploaded, chosen from the files, or added by address. */
export const MediaGallery = ({ editing }: { readonly editing: FormState }) => {
  const { draft, edit, problems, uploads } = editing
  const { imageUrl, media } = draft
  const list = useRef<HTMLOListElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const [announcement, setAnnouncement] = useState("")
  const [address, setAddress] = useState<string>()
  const [replaced, setReplaced] = useState<string>()
  const [isChoosing, setChoosing] = useState(false)

  const move = (from: number, to: number) => {
    edit({ media: moveItem(media, from, to) })
    setAnnouncement(texts.moved(to + 1, media.length))
  }
  const { dragging, handleProps, position } = useTileDrag(move)

  // The tile is rendered in the next frame.
  const focus = (index: number) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-position="${index}"] button`)?.focus())
  const moveByKey = (event: KeyboardEvent, index: number) => {
    const to = indexAfterKey(event.key, index, media.length)
    if (to === undefined) return
    event.preventDefault()
    move(index, to)
    focus(to)
  }
  const remove = (key: string, index: number) => {
    edit(removePicture(draft, key))
    setAnnouncement(texts.removed(index + 1))
    if (media.length > 1) focus(Math.min(index, media.length - 2))
  }
  const addByUrl = () => {
    const key = newItemKey()
    edit({ media: [...media, { key, url: "", alt: "", type: "image" }] })
    setAddress(key)
  }
  const closeAddress = () => {
    setAddress(undefined)
    edit({ media: media.filter(({ key, url }) => key !== address || url.trim() !== "") })
  }
  const actionsOf = ({ key, url }: MediumDraft, index: number) => [
    ...(uploads === undefined
      ? []
      : [
          { name: texts.makeMain, choose: () => edit({ imageUrl: url }), isDisabled: url === imageUrl },
          {
            name: texts.replace,
            choose: () => {
              setReplaced(key)
              chooser.current?.click()
            }
          }
        ]),
    { name: texts.edit, choose: () => setAddress(key) },
    { name: texts.remove, choose: () => remove(key, index) }
  ]

  const tiles =
    media.length === 0 ? undefined : (
      <ol ref={list} className={css["gallery"]} aria-label={texts.list}>
        {media.map((medium, index) => {
          const problem = problemIn(problems, `media.${index}`)
          return (
            <li
              key={medium.key}
              className={`${css["tile"]} ${dragging?.from === index ? css["dragged"] : ""}`}
              style={{ order: position(index) }}
              data-position={position(index)}
            >
              <div className={css["frame"]}>
                <Picture url={medium.url} alt={medium.alt} isLarge />
                <button
                  type="button"
                  className={css["handle"]}
                  aria-label={texts.move(index + 1, media.length)}
                  aria-keyshortcuts="ArrowLeft ArrowRight Home End"
                  onKeyDown={(event) => moveByKey(event, index)}
                  {...handleProps(index)}
                >
                  ⠿
                </button>
                <span className={css["actions"]}>
                  <Menu label="⋯" name={texts.actions(index + 1)} items={actionsOf(medium, index)} />
                </span>
                {medium.url === imageUrl && imageUrl !== "" ? (
                  <span className={css["main"]}>
                    <Badge tone="accent">{texts.main}</Badge>
                  </span>
                ) : undefined}
              </div>
              <CellField
                label={texts.alt(index + 1)}
                placeholder={texts.altPlaceholder}
                maxLength={512}
                value={medium.alt}
                problem={problem}
                onChange={({ target }) => edit({ media: updateItem(media, medium.key, { alt: target.value }) })}
              />
              {problem === undefined ? undefined : <p className={css["problem"]}>{problem}</p>}
            </li>
          )
        })}
      </ol>
    )
  const others = (
    <>
      {uploads === undefined ? undefined : <Button onClick={() => setChoosing(true)}>{fileTexts.picker.title}</Button>}
      <Button onClick={addByUrl}>{texts.addUrl}</Button>
    </>
  )
  return (
    <div className={css["media"]}>
      <p className={css["label"]}>{productTexts.fields.media}</p>
      {imageUrl === "" || media.some(({ url }) => url === imageUrl) ? undefined : (
        <div className={css["separate"]}>
          <Picture url={imageUrl} alt="" isLarge />
          <MutedText>{texts.separateMain}</MutedText>
        </div>
      )}
      {tiles}
      {media.length < 2 ? undefined : (
        <output className={css["status"]}>{announcement === "" ? texts.advice : announcement}</output>
      )}
      {uploads === undefined ? <Row>{others}</Row> : <UploadArea uploads={uploads} actions={others} />}
      <input
        ref={chooser}
        type="file"
        hidden
        accept={ACCEPTED}
        onChange={({ target }) => {
          uploads?.add(target.files ?? [], replaced)
          target.value = ""
        }}
      />
      <AddressDialog editing={editing} of={address} close={closeAddress} />
      {isChoosing ? (
        <Suspense>
          <FilePicker close={() => setChoosing(false)} choose={(files) => edit(addPictures(draft, files))} />
        </Suspense>
      ) : undefined}
    </div>
  )
}
