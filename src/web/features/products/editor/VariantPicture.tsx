import { lazy, Suspense, useState } from "react"
import type { VirtualColumn } from "../../../shared/ui/display/VirtualTable.tsx"
import { Picture } from "../../../shared/ui/display/Values.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row } from "../../../shared/ui/layout/Page.tsx"
import { fileTexts } from "../../files/fileTexts.ts"
import { productTexts } from "../productTexts.ts"
import css from "./Media.module.css"
import type { VariantDraft } from "./productDraft.ts"
import type { FormState } from "./productFields.ts"

const texts = productTexts.variants

const FilePicker = lazy(() => import("../../files/FilePicker.tsx").then(({ FilePicker }) => ({ default: FilePicker })))

/** Column of pictures. They are buttons that choose another one. */
export const pictureColumn = (
  positionOf: (variant: VariantDraft) => number,
  open: (key: string) => void
): VirtualColumn<{ readonly variant?: VariantDraft }> => ({
  name: texts.picture,
  width: 90,
  cell: ({ variant }) =>
    variant === undefined ? undefined : (
      <button
        type="button"
        className={css["choice"]}
        aria-label={texts.pictureOf(positionOf(variant) + 1)}
        onClick={() => open(variant.key)}
      >
        <Picture url={variant.imageUrl} alt="" />
      </button>
    )
})

interface VariantPictureProps {
  readonly editing: FormState
  readonly position: number
  readonly variant: VariantDraft
  readonly choose: (url: string) => void
  readonly close: () => void
}

/** Dialog that chooses a picture of the product or a file for a variant. */
export const VariantPicture = ({
  choose,
  close,
  editing: { draft, uploads },
  position,
  variant
}: VariantPictureProps) => {
  const [isChoosingFile, setChoosingFile] = useState(false)
  const finish = (url: string) => {
    choose(url)
    close()
  }
  const pictures = draft.media.filter(({ url }) => url !== "")
  return isChoosingFile ? (
    <Suspense>
      <FilePicker isSingle close={close} choose={([file]) => finish(file?.url ?? "")} />
    </Suspense>
  ) : (
    <Dialog title={texts.pictureOf(position + 1)} isOpen close={close}>
      {pictures.length === 0 ? (
        <MutedText>{texts.noPictures}</MutedText>
      ) : (
        <ul className={css["choices"]}>
          {pictures.map(({ alt, key, url }, index) => (
            <li key={key}>
              <button
                type="button"
                className={css["choice"]}
                aria-label={alt || texts.picturePosition(index + 1)}
                aria-pressed={url === variant.imageUrl}
                onClick={() => finish(url)}
              >
                <Picture url={url} alt="" isLarge />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Row>
        {uploads === undefined ? undefined : (
          <Button onClick={() => setChoosingFile(true)}>{fileTexts.picker.title}</Button>
        )}
        {variant.imageUrl === "" ? undefined : <Button onClick={() => finish("")}>{texts.noPicture}</Button>}
      </Row>
    </Dialog>
  )
}
