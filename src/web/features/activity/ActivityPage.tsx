import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { ResourceKind } from "../../../domain/journal/Kinds.ts"
import { Button, buttonClass } from "../../shared/ui/form/Button.tsx"
import { SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { Row, Page } from "../../shared/ui/layout/Page.tsx"
import { useMember } from "../../shared/data/store.ts"
import { useDates } from "../../shared/data/format.ts"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { More } from "../../shared/ui/display/Table.tsx"
import css from "./Activity.module.css"
import { surfaceLabels } from "./entries.ts"
import { type ActivitySearch, activitySearch, timeSpans, filterOf } from "./activitySearch.ts"
import { useActors, useEntries } from "./activityQueries.ts"
import { activityTexts } from "./activityTexts.ts"
import { Timeline } from "./Timeline.tsx"
import { UndoSpanDialog } from "./UndoDialogs.tsx"

const ACTOR_TYPES: ReadonlyArray<readonly [type: string, name: string]> = [
  ["merchant", activityTexts.filters.allMembers],
  ["agent", activityTexts.filters.allAgents],
  ["app", activityTexts.filters.allApps]
]

/** Kinds whose entries staff cannot read. */
const OWNERS_ONLY: ReadonlySet<ResourceKind> = new Set(["subscription", "member", "invitation"])

/** Option that replaces the time spans with two date fields. */
const CUSTOM_RANGE = "days"

const isActorType = (chosen: string) => ACTOR_TYPES.some(([type]) => type === chosen)

const today = () => new Date().toLocaleDateString("sv")

interface ActivityFiltersProps {
  readonly search: ActivitySearch
  readonly choose: (search: ActivitySearch) => void
}

/** Filters of the activity, kept in the URL. */
const ActivityFilters = ({ choose, search }: ActivityFiltersProps) => {
  const groups = useActors()
  const { isOwner } = useMember()
  const { actorId, actorType, from, resource, resourceId, span, surface, to } = search
  const change = (changes: Readonly<Record<string, string>>) =>
    choose(
      activitySearch(Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value !== "")))
    )
  const isCustomRange = from !== undefined || to !== undefined
  const isKnown = groups.some(({ actors }) => actors.some(({ id }) => id === actorId))
  return (
    <>
      <search className={css["filters"]} aria-label={activityTexts.filters.label}>
        <SelectField
          label={activityTexts.filters.changedBy}
          value={actorId ?? actorType ?? ""}
          onChange={({ target: { value } }) =>
            change(isActorType(value) ? { actorType: value, actorId: "" } : { actorType: "", actorId: value })
          }
        >
          <option value="">{activityTexts.filters.anyone}</option>
          {ACTOR_TYPES.map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
          {actorId === undefined || isKnown ? undefined : (
            <option value={actorId}>{activityTexts.filters.otherActor}</option>
          )}
          {groups.map(({ actors, kind }) =>
            actors.length === 0 ? undefined : (
              <optgroup key={kind} label={kind}>
                {actors.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </optgroup>
            )
          )}
        </SelectField>
        <SelectField
          label={activityTexts.filters.source}
          value={surface ?? ""}
          onChange={({ target }) => change({ surface: target.value })}
        >
          <option value="">{activityTexts.filters.anySource}</option>
          {Object.entries(surfaceLabels).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={activityTexts.filters.resource}
          value={resource ?? ""}
          onChange={({ target }) => change({ resource: target.value })}
        >
          <option value="">{activityTexts.filters.allResources}</option>
          {ResourceKind.literals
            .filter((kind) => isOwner || !OWNERS_ONLY.has(kind))
            .map((kind) => (
              <option key={kind} value={kind}>
                {activityTexts.filters.resources[kind]}
              </option>
            ))}
        </SelectField>
        <SelectField
          label={activityTexts.filters.date}
          value={isCustomRange ? CUSTOM_RANGE : (span ?? "")}
          onChange={({ target: { value } }) =>
            change(value === CUSTOM_RANGE ? { span: "", from: today() } : { span: value, from: "", to: "" })
          }
        >
          <option value="">{activityTexts.filters.anyTime}</option>
          {Object.entries(timeSpans).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value={CUSTOM_RANGE}>{activityTexts.filters.customRange}</option>
        </SelectField>
        {isCustomRange ? (
          <>
            <TextField
              label={activityTexts.filters.from}
              type="date"
              value={from ?? ""}
              max={to}
              onChange={({ target }) => change({ from: target.value })}
            />
            <TextField
              label={activityTexts.filters.to}
              type="date"
              value={to ?? ""}
              min={from}
              onChange={({ target }) => change({ to: target.value })}
            />
          </>
        ) : undefined}
      </search>
      {resourceId === undefined ? undefined : (
        <Row>
          <span>{activityTexts.filters.oneResource}</span>
          <Button onClick={() => change({ resourceId: "" })}>{activityTexts.filters.showAllResources}</Button>
        </Row>
      )}
    </>
  )
}

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
  const {
    query,
    items = [],
    more
  } = useEntries({
    ...filterOf(search, opened, dates),
    // The changes of one resource are shown with their differences.
    ...(search.resourceId === undefined ? { collapseChangeSets: true } : {})
  })
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
            <Timeline
              entries={items}
              groups={search.resourceId !== undefined ? "none" : isWholeWork(search) ? "undoable" : "plain"}
            />
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
