import { useState } from "react"
import css from "./Picture.module.css"

interface PictureProps {
  readonly url: string | null | undefined
  readonly alt: string
  readonly isLarge?: boolean
}

/** Image from any host. Sends no referrer, and keeps its space if the image is missing. */
export const Picture = ({ alt, isLarge = false, url }: PictureProps) => {
  const [failed, setFailed] = useState<string>()
  const className = `${css["picture"]} ${isLarge ? css["large"] : ""}`
  return url === null || url === undefined || url === "" || url === failed ? (
    <span className={className} />
  ) : (
    <img
      className={className}
      src={url}
      alt={alt}
      referrerPolicy="no-referrer"
      loading="lazy"
      decoding="async"
      onError={() => setFailed(url)}
    />
  )
}
