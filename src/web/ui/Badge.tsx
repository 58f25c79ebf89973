import type { ReactNode } from "react"
import css from "./Badge.module.css"

export type Tone = "plain" | "good" | "warn" | "alert" | "accent"

/** A word on how something stands. The colour only says again what the word says. */
export const Badge = ({ children, tone = "plain" }: { readonly children: ReactNode; readonly tone?: Tone }) => (
  <span className={`${css["badge"]} ${css[tone]}`}>{children}</span>
)
