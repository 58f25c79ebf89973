import { ago, time } from "../../data/format.ts"
import css from "./Apps.module.css"

/** How long ago something was, and when that is. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time className={css["when"]} dateTime={at} title={time(at)}>
    {ago(at)}
  </time>
)
