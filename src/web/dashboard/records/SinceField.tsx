import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import css from "./Records.module.css"
import { dayOf, sinceDay, type SinceSearch } from "./Since.ts"

interface SinceFieldProps {
  readonly since: SinceSearch
  readonly change: (since: SinceSearch) => void
}

const DAY = 86_400_000

const daysAgo = (days: number) => dayOf({ since: new Date(Date.now() - days * DAY).toISOString() })

/** Asks from which day on the list is to be: of what is new or changed since. */
export const SinceField = ({ change, since }: SinceFieldProps) => (
  <search className={css["filter"]}>
    <TextField
      label="Created or updated since"
      type="date"
      value={dayOf(since)}
      onChange={({ target }) => change(sinceDay(target.value))}
    />
    <Button kind="quiet" onClick={() => change(sinceDay(daysAgo(7)))}>
      Last 7 days
    </Button>
    <Button kind="quiet" onClick={() => change(sinceDay(daysAgo(30)))}>
      Last 30 days
    </Button>
    <Button kind="quiet" onClick={() => change({})} disabled={since.since === undefined}>
      {" "}
      Show all{" "}
    </Button>
  </search>
)
