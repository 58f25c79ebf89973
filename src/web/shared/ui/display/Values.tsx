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
