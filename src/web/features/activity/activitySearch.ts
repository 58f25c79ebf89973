import type { Dates } from "../../shared/data/format.ts"
import { Result, Schema, Struct } from "effect"
import { ActorType, EntrySurface } from "../../../domain/journal/Activity.ts"
import { ResourceKind } from "../../../domain/journal/Kinds.ts"
import { Uuid } from "../../../domain/Uuid.ts"
import { DateText } from "../../shared/data/urlSearch.ts"
import type { EntriesFilter } from "./activityQueries.ts"
import { activityTexts } from "./activityTexts.ts"

/** Relative time spans. */
export const timeSpans = {
  hour: { hours: 1, name: activityTexts.filters.timeSpans.hour },
  day: { hours: 24, name: activityTexts.filters.timeSpans.day },
  week: { hours: 7 * 24, name: activityTexts.filters.timeSpans.week },
  month: { hours: 30 * 24, name: activityTexts.filters.timeSpans.month }
} as const

const Span = Schema.Literals(["hour", "day", "week", "month"])

/** Filters of the activity in the URL. */
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

/** Parses the URL. Invalid filters are dropped. */
export const activitySearch = (search: Record<string, unknown>): ActivitySearch =>
  Result.getOrElse(decode(search), (): ActivitySearch => ({}))

const HOUR_MILLIS = 3_600_000

/** Filter of the request. `now` is fixed when the page opens, so that the query key stays stable. */
export const filterOf = (
  { from, span, to, ...rest }: ActivitySearch,
  now: number,
  { dayStart }: Dates
): EntriesFilter => ({
  ...rest,
  ...(span === undefined ? {} : { since: new Date(now - timeSpans[span].hours * HOUR_MILLIS).toISOString() }),
  ...(from === undefined ? {} : { since: dayStart(from) }),
  ...(to === undefined ? {} : { until: dayStart(to, 1) })
})
