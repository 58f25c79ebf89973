import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useDates } from "../../shared/data/format.ts"
import { Button, buttonClass } from "../../shared/ui/form/Button.tsx"
import { Page, Row } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { More } from "../../shared/ui/display/Table.tsx"
import { ActivityFilters } from "./ActivityFilters.tsx"
import { type ActivitySearch, filterOf } from "./activitySearch.ts"
import { Timeline } from "./Timeline.tsx"
import { UndoSpanDialog } from "./UndoSpanDialog.tsx"
import { useEntries } from "./useEntries.ts"
import { activityTexts } from "./activityTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/activity")

/** True if the filters hide no change of a listed actor, so that the undo of a time span undoes listed changes only. */
const isWholeWork = ({ resource, resourceId, surface }: ActivitySearch) =>
  resource === undefined && resourceId === undefined && surface === undefined

/** Change history of the store. */
export const ActivityPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [opened] = useState(Date.now)
  const dates = useDates()
  const { query, items = [], more } = useEntries(filterOf(search, opened, dates))
  const [first] = items
  const [isUndoing, setUndoing] = useState(false)
  const isFiltered = Object.keys(search).length > 0
  const choose = (chosen: ActivitySearch) => void navigate({ search: chosen, replace: true })
  return (
    <Page
      title={activityTexts.page.title}
      actions={
        <Link to="/dashboard/$storeId/changes" params={{ storeId }} className={buttonClass("plain")}>
          {activityTexts.page.bulkChanges}
        </Link>
      }
    >
      <ActivityFilters search={search} choose={choose} />
      {search.actorId === undefined || first === undefined ? undefined : (
        <Row>
          <Button onClick={() => setUndoing(true)}>{activityTexts.span.action(first.actorName)}</Button>
        </Row>
      )}
      <QueryBoundary query={query} lines={10}>
        {() => (
          <>
            {items.length > 0 || more.hasMore ? undefined : isFiltered ? (
              <EmptyState title={activityTexts.page.noMatches}>
                <Button onClick={() => choose({})}>{activityTexts.page.clearFilters}</Button>
              </EmptyState>
            ) : (
              <EmptyState title={activityTexts.page.empty}>
                <p>{activityTexts.page.emptyAdvice}</p>
              </EmptyState>
            )}
            <Timeline entries={items} groups={isWholeWork(search) ? "undoable" : "plain"} />
            <More {...more} />
          </>
        )}
      </QueryBoundary>
      {isUndoing && first !== undefined ? (
        <UndoSpanDialog actorId={first.actor.id} name={first.actorName} close={() => setUndoing(false)} />
      ) : undefined}
    </Page>
  )
}
