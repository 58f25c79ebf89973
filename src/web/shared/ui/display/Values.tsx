import { type ReactNode, useState } from "react"
import { ago, useDates } from "../../data/format.ts"
import css from "./Display.module.css"

export type Tone = "plain" | "good" | "warn" | "alert" | "accent"

/** Short status text. The color repeats the meaning of the text. */
export const Badge = ({ children, tone = "plain" }: { readonly children: ReactNode; readonly tone?: Tone }) => (
  <span className={`${css["badge"]} ${css[tone]}`}>{children}</span>
)

/** Word and color of a status. */
export interface StatusLabel {
  readonly word: string
  readonly tone: Tone
}

export const StatusBadge = ({ tone, word }: StatusLabel) => <Badge tone={tone}>{word}</Badge>

/** Stands for an element in a text. */
const PLACE = "\uFFFC"

/** Sentence with an element in it. Languages put it in different places. */
export const Sentence = ({
  children,
  text
}: {
  readonly text: (place: string) => string
  readonly children: ReactNode
}) => {
  const [before = "", after = ""] = text(PLACE).split(PLACE)
  return (
    <>
      {before}
      {children}
      {after}
    </>
  )
}

interface TimeProps {
  readonly at: Date | string
  readonly className?: string | undefined
}

/** Date and time in the time zone of the store. */
export const Time = ({ at, className }: TimeProps) => (
  <time className={className} dateTime={new Date(at).toISOString()}>
    {useDates().time(at)}
  </time>
)

/** Date in the time zone of the store. */
export const Day = ({ at, className }: TimeProps) => (
  <time className={className} dateTime={new Date(at).toISOString()}>
    {useDates().day(at)}
  </time>
)

/** Relative time, with the exact time as tooltip. */
export const RelativeTime = ({ at, className }: TimeProps) => (
  <time className={className} dateTime={new Date(at).toISOString()} title={useDates().time(at)}>
    {ago(at)}
  </time>
)

interface PictureProps {
  readonly url: string | null | undefined
  readonly alt: string
  /** Colour of the box until the picture is loaded. */
  readonly color?: string | null
  readonly isLarge?: boolean
}

/** End of the URL of a stored picture that has sizes (docs/spec/files.md). It may be on the host of a CDN. */
const STORED = /\/[0-9a-f]{64}(?=\/[^/?#]+\.(?:jpg|png|webp|avif)$)/

/** Attributes of a stored picture: a size for each density of screens. */
const sizesOf = (url: string, width: number) => {
  const at = (pixels: number) => url.replace(STORED, `$&/${pixels}`)
  const [single, double] = width > 36 ? [320, 640] : [64, 160]
  return { src: at(single), srcSet: `${at(double)} 2x` }
}

/**
 * Image from any host, in a small size if the service stores it. Sends no referrer, and keeps its space if the image is
 * missing.
 */
export const Picture = ({ alt, color, isLarge = false, url }: PictureProps) => {
  const [shown, setShown] = useState({ url, failures: 0, isLoaded: false })
  const { failures, isLoaded } = shown.url === url ? shown : { failures: 0, isLoaded: false }
  const className = `${css["picture"]} ${isLarge ? css["large"] : ""}`
  const width = isLarge ? 72 : 36
  const isStored = url && STORED.test(url)
  return !url || failures > (isStored ? 1 : 0) ? (
    <span className={className} />
  ) : (
    <img
      className={className}
      // The second attempt is the picture itself: another host may have URLs of the same form.
      {...(isStored && failures === 0 ? sizesOf(url, width) : { src: url })}
      alt={alt}
      width={width}
      height={width}
      style={isLoaded || !color ? undefined : { background: color }}
      referrerPolicy="no-referrer"
      loading="lazy"
      decoding="async"
      onLoad={() => setShown({ url, failures, isLoaded: true })}
      onError={() => setShown({ url, failures: failures + 1, isLoaded: false })}
    />
  )
}
