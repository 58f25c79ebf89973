import { Button } from "../../ui/form/Button.tsx"
import { TextField } from "../../ui/form/Field.tsx"
import css from "./Records.module.css"
import { dateInputValue, searchSinceDate, type DateSearch } from "./dateSearch.ts"
import { recordTexts } from "./recordTexts.ts"

interface DateFilterProps {
  readonly since: DateSearch
  readonly change: (since: DateSearch) => void
}

const DAY_MILLIS = 86_400_000

const daysAgo = (days: number) => dateInputValue({ since: new Date(Date.now() - days * DAY_MILLIS).toISOString() })

/** Filters a list by creation or update date. */
export const DateFilter = ({ change, since }: DateFilterProps) => (
  <search className={css["filter"]}>
    <TextField
      label={recordTexts.filter.since}
      type="date"
      value={dateInputValue(since)}
      onChange={({ target }) => change(searchSinceDate(target.value))}
    />
    <Button kind="quiet" onClick={() => change(searchSinceDate(daysAgo(7)))}>
      {recordTexts.filter.lastWeek}
    </Button>
    <Button kind="quiet" onClick={() => change(searchSinceDate(daysAgo(30)))}>
      {recordTexts.filter.lastMonth}
    </Button>
    <Button kind="quiet" onClick={() => change({})} disabled={since.since === undefined}>
      {recordTexts.filter.showAll}
    </Button>
  </search>
)
