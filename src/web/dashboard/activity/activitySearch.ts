import { Result, Schema, Struct } from "effect"
import { ActorType, EntrySurface } from "../../../domain/journal/Activity.ts"
import { ResourceKind } from "../../../domain/journal/Kinds.ts"
import { Uuid } from "../../../domain/Uuid.ts"
import type { EntriesFilter } from "./useEntries.ts"

/** How far back is looked, in hours. */
export const timeSpans = {
  hour: { hours: 1, name: "Last hour" },
  day: { hours: 24, name: "Last 24 hours" },
  week: { hours: 7 * 24, name: "Last 7 days" },
  month: { hours: 30 * 24, name: "Last 30 days" }
} as const

const Span = Schema.Literals(["hour", "day", "week", "month"])

/** A day as a field for dates writes it. */
const DateText = Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)))

/** What of the activity is looked at, as the address says it. */
const ActivitySearch = Schema.Struct({
  actorType: ActorType,
  actorId: Uuid,
  surface: EntrySurface,
  resource: ResourceKind,
  resourceId: Uuid,
  span: Span,
  from: DateText,
  to: DateText
}).mapFields(Struct.map(Schema.optionalKey))
export type ActivitySearch = typeof ActivitySearch.Type

const decode = Schema.decodeUnknownResult(ActivitySearch)

/** What an address asks for; one that makes no sense asks for all of it. */
export const activitySearch = (search: Record<string, unknown>): ActivitySearch =>
  Result.getOrElse(decode(search), (): ActivitySearch => ({}))

const HOUR_MILLIS = 3_600_000

/** The days are those of the browser's time zone, the last one whole. */
const dayStart = (date: string, daysLater = 0) => {
  const start = new Date(`${date}T00:00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}

/** What the service is asked for. The minute is that in which the page was opened, so that the same is asked again. */
export const filterOf = ({ from, span, to, ...rest }: ActivitySearch, now: number): EntriesFilter => ({
  ...rest,
  ...(span === undefined ? {} : { since: new Date(now - timeSpans[span].hours * HOUR_MILLIS).toISOString() }),
  ...(from === undefined ? {} : { since: dayStart(from) }),
  ...(to === undefined ? {} : { until: dayStart(to, 1) })
})
