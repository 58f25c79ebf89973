import { ago, time } from "../../shared/data/dates.ts"
import css from "./Apps.module.css"

/** Relative time, with the exact time as tooltip. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time className={css["when"]} dateTime={at} title={time(at)}>
    {ago(at)}
  </time>
)
