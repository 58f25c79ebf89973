import { type Draft, type MediumDraft, newItemKey } from "./productDraft.ts"

/* Pictures of a product form. The main image is one of the media, unless another client stored it otherwise. */

type Pictures = Pick<Draft, "imageUrl" | "media">

interface NewPicture {
  readonly url: string
  readonly alt?: string
}

const mediumOf = ({ alt = "", url }: NewPicture): MediumDraft => ({ key: newItemKey(), url, alt, type: "image" })

/** Adds pictures at the end. The first one of a product without a main image becomes it. */
export const addPictures = ({ imageUrl, media }: Pictures, pictures: ReadonlyArray<NewPicture>): Pictures => ({
  imageUrl: imageUrl === "" ? (pictures[0]?.url ?? "") : imageUrl,
  media: [...media, ...pictures.map(mediumOf)]
})

/** Gives an item another URL, also as main image. Adds the picture if the item was removed meanwhile. */
export const replacePicture = ({ imageUrl, media }: Pictures, key: string, url: string): Pictures => {
  const replaced = media.find((medium) => medium.key === key)
  if (replaced === undefined) return addPictures({ imageUrl, media }, [{ url }])
  return {
    imageUrl: imageUrl === replaced.url ? url : imageUrl,
    media: media.map((medium) => (medium === replaced ? { ...medium, url } : medium))
  }
}

/** Removes an item. After the main image, the first picture that is left becomes it. */
export const removePicture = ({ imageUrl, media }: Pictures, key: string): Pictures => {
  const left = media.filter((medium) => medium.key !== key)
  const isMainLeft = left.length === media.length || left.some(({ url }) => url === imageUrl)
  const wasMain = media.some((medium) => medium.key === key && medium.url === imageUrl)
  return { imageUrl: wasMain && !isMainLeft ? (left[0]?.url ?? "") : imageUrl, media: left }
}
