import { ago, useDates, number } from "../../shared/data/format.ts"
import { Link } from "@tanstack/react-router"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { actorLabels, listEntries, verbOf } from "../activity/entries.ts"
import { EntrySentence, EntryTime } from "../activity/EntrySentence.tsx"
import { type ActivityGroup, groupActivity } from "./activityGroups.ts"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"

/** Entries that are read, and groups of them that are shown. */
const MAX_ENTRIES = 60
const MAX_GROUPS = 8

/** Sentence such as "Ada updated 36 products", which links to these changes. */
const GroupSentence = ({ group: { entries, newest, resources } }: { readonly group: ActivityGroup }) => {
  const storeId = useStoreId()
  if (resources === 1) {
    return (
      <>
        <EntrySentence entry={newest} />
        {entries === 1 ? undefined : ` (${homeTexts.activity.times(entries)})`}
      </>
    )
  }
  const kind = actorLabels[newest.actor.type]
  return (
    <>
      <strong>{newest.actorName}</strong> {kind === undefined ? undefined : <Badge>{kind}</Badge>}
      {kind === undefined ? "" : " "}
      {verbOf(newest)}{" "}
      <Link
        to="/dashboard/$storeId/activity"
        params={{ storeId }}
        search={{ actorId: newest.actor.id, resource: newest.resource, surface: newest.surface }}
      >
        {homeTexts.activity.resources[newest.resource](resources)}
      </Link>
    </>
  )
}

/** Time of one change, or the first and last time of several, such as "14:02–14:10". */
const GroupTime = ({ group: { newest, oldest } }: { readonly group: ActivityGroup }) => {
  const { clockSpan, time } = useDates()
  const span = clockSpan(oldest.at, newest.at)
  return newest === oldest || span === clockSpan(newest.at, newest.at) ? (
    <EntryTime entry={newest} />
  ) : (
    <span title={`${time(oldest.at)} – ${time(newest.at)}`}>
      {ago(newest.at)}, {span}
    </span>
  )
}

/** Newest changes, grouped by actor and job. */
export const RecentActivity = () => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "activity", "newest"], (client) =>
    listEntries(client, { storeId, limit: MAX_ENTRIES })
  )
  return (
    <Card
      title={homeTexts.activity.title}
      actions={
        <Link to="/dashboard/$storeId/activity" params={{ storeId }}>
          {homeTexts.activity.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={query} lines={MAX_GROUPS}>
        {({ items, nextCursor }) => (
          <>
            <ol className={css["recent"]}>
              {groupActivity(items)
                .slice(0, MAX_GROUPS)
                .map((group) => (
                  <li key={group.oldest.id}>
                    <span>
                      <GroupSentence group={group} />
                    </span>
                    <GroupTime group={group} />
                  </li>
                ))}
            </ol>
            {nextCursor === null ? undefined : (
              <MutedText>{homeTexts.activity.grouped(number(items.length))}</MutedText>
            )}
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}
