import { type Draft, type MediumDraft, newItemKey } from "./productDraft.ts"

/*
 * Pictures of a product form. The main image is one of the media, unless another client stored it otherwise. Variants show
 * one of the media or another file.
 */

type Pictures = Pick<Draft, "imageUrl" | "media" | "variants">

interface NewPicture {
  readonly url: string
  readonly alt?: string
}

const mediumOf = ({ alt = "", url }: NewPicture): MediumDraft => ({ key: newItemKey(), url, alt, type: "image" })

/** Adds pictures at the end. The first one of a product without a main image becomes it. */
export const addPictures = (
  { imageUrl, media, variants }: Pictures,
  pictures: ReadonlyArray<NewPicture>
): Pictures => ({
  imageUrl: imageUrl === "" ? (pictures[0]?.url ?? "") : imageUrl,
  media: [...media, ...pictures.map(mediumOf)],
  variants
})

/** Gives the variants that show a URL another one, or none. */
const changeOfVariants = ({ variants }: Pictures, from: string, to: string) =>
  variants.map((variant) => (variant.imageUrl === from && from !== "" ? { ...variant, imageUrl: to } : variant))

/** Gives an item another URL, also as main image and in variants. Adds the picture if the item was removed meanwhile. */
export const replacePicture = (pictures: Pictures, key: string, url: string): Pictures => {
  const { imageUrl, media } = pictures
  const replaced = media.find((medium) => medium.key === key)
  if (replaced === undefined) return addPictures(pictures, [{ url }])
  return {
    imageUrl: imageUrl === replaced.url ? url : imageUrl,
    media: media.map((medium) => (medium === replaced ? { ...medium, url } : medium)),
    variants: changeOfVariants(pictures, replaced.url, url)
  }
}

/** Removes an item, also from variants. After the main image, the first picture that is left becomes it. */
export const removePicture = (pictures: Pictures, key: string): Pictures => {
  const { imageUrl, media, variants } = pictures
  const removed = media.find((medium) => medium.key === key)
  const left = media.filter((medium) => medium !== removed)
  if (removed === undefined || left.some(({ url }) => url === removed.url)) return { imageUrl, media: left, variants }
  return {
    imageUrl: removed.url === imageUrl ? (left[0]?.url ?? "") : imageUrl,
    media: left,
    variants: changeOfVariants(pictures, removed.url, "")
  }
}
