import { Effect } from "effect"
import type { ChangedSince } from "../../../domain/journal/Undo.ts"
import { EntryId } from "../../../rpc/Client.ts"
import { differencesOf } from "../../data/Differences.ts"
import { ago } from "../../data/Format.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { QueryBoundary } from "../../ui/QueryBoundary.tsx"
import { useStoreId } from "../Store.ts"
import css from "./Activity.module.css"
import { type NamedEntry, nameEntries, verbOf } from "./Entries.ts"

/** Later entries that are named: they are undone one by one. */
const NAMED = 10

/** The fields of a change in brackets. */
const namesOf = ({ after, before }: NamedEntry) =>
  before === null || after === null
    ? ""
    : ` (${differencesOf(before, after)
        .map(({ name }) => name)
        .join(", ")})`

interface InTheWayProps {
  readonly overlaps: ChangedSince["overlaps"]
  readonly choose: ((entry: NamedEntry) => void) | undefined
}

/** The later changes that an undo would take back too, each with the way to undo it first, where there is one. */
export const InTheWay = ({ choose, overlaps }: InTheWayProps) => {
  const storeId = useStoreId()
  const ids = new Set<string>(overlaps.flatMap(({ changedBy }) => changedBy))
  const shown = [...ids].slice(0, NAMED).map((id) => EntryId.make(id))
  const query = useRpcQuery([storeId, "activity", "named", ...shown], (client) =>
    Effect.flatMap(
      Effect.forEach(shown, (id) => client.activity.get({ storeId, id }), { concurrency: "unbounded" }),
      (entries) => nameEntries(client, storeId, entries)
    )
  )
  return (
    <div className={css["inTheWay"]} role="alert">
      <p>
        <strong>Later changes found.</strong> This undo would overwrite them. Undo them first, or edit the values
        yourself.
      </p>
      <QueryBoundary query={query} lines={shown.length}>
        {(entries) => (
          <ul className={css["blocking"]}>
            {entries.map((entry) => (
              <li key={entry.id}>
                <span>
                  <strong>{entry.actorName}</strong> {verbOf(entry)} {entry.resourceName}
                  {namesOf(entry)} {ago(entry.at)}
                </span>
                {choose === undefined ? undefined : (
                  <Button kind="quiet" onClick={() => choose(entry)}>
                    Undo this change first
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
    </div>
  )
}
