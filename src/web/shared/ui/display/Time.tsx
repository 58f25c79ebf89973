import { ago, useDates } from "../../data/dates.ts"

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
