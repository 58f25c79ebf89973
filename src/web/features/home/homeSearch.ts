import { Result, Schema } from "effect"
import { PeriodDays } from "../../../domain/records/OrderSummary.ts"

/** Period of the figures, in the URL. */
const HomeSearch = Schema.Struct({ days: Schema.optionalKey(PeriodDays) })
type HomeSearch = typeof HomeSearch.Type

/** Period without one in the URL. */
export const DEFAULT_DAYS: PeriodDays = 30

const decode = Schema.decodeUnknownResult(HomeSearch)

/** Parses the URL. An invalid period is dropped. */
export const parseHomeSearch = (search: Record<string, unknown>): HomeSearch =>
  Result.getOrElse(decode(search), (): HomeSearch => ({}))
