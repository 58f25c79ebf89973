import type { ReactNode } from "react"
import css from "./Badge.module.css"

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
