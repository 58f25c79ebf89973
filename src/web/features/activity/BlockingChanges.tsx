import { ago, type Dates, useDates } from "../../shared/data/format.ts"
import { Effect } from "effect"
import type { ChangedSince } from "../../../domain/journal/Undo.ts"
import { EntryId } from "../../../rpc/Client.ts"
import { differencesOf } from "../../shared/data/differences.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { WarningBox } from "../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import css from "./Activity.module.css"
import { type NamedEntry, nameEntries, verbOf } from "./entries.ts"
import { activityTexts } from "./activityTexts.ts"

/** Entries that are shown, since each has to be undone on its own. */
const MAX_SHOWN = 10

/** Changed fields in parentheses. */
const changedFieldsOf = ({ after, before }: NamedEntry, dates: Dates) =>
  before === null || after === null
    ? ""
    : ` (${differencesOf(before, after, { dates })
        .map(({ name }) => name)
        .join(", ")})`

interface BlockingChangesProps {
  readonly overlaps: ChangedSince["overlaps"]
  readonly choose: ((entry: NamedEntry) => void) | undefined
}

/** Later changes that an undo would overwrite, with a button to undo each of them first. */
export const BlockingChanges = ({ choose, overlaps }: BlockingChangesProps) => {
  const storeId = useStoreId()
  const dates = useDates()
  const ids = new Set<string>(overlaps.flatMap(({ changedBy }) => changedBy))
  const shown = [...ids].slice(0, MAX_SHOWN).map((id) => EntryId.make(id))
  const query = useRpcQuery([storeId, "activity", "named", ...shown], (client) =>
    Effect.flatMap(
      Effect.forEach(shown, (id) => client.activity.get({ storeId, id }), { concurrency: "unbounded" }),
      (entries) => nameEntries(client, storeId, entries)
    )
  )
  return (
    <WarningBox isAlert>
      <p>
        <strong>{activityTexts.undo.laterChanges}</strong> {activityTexts.undo.laterChangesAdvice}
      </p>
      <QueryBoundary query={query} lines={shown.length}>
        {(entries) => (
          <ul className={css["blocking"]}>
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>
                  <strong>{entry.actorName}</strong> {verbOf(entry)} {entry.resourceName}
                  {changedFieldsOf(entry, dates)} {ago(entry.at)}
                </span>
                {choose === undefined ? undefined : (
                  <Button kind="quiet" onClick={() => choose(entry)}>
                    {activityTexts.undo.undoFirst}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
    </WarningBox>
  )
}
