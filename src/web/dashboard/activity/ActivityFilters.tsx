import { Button } from "../../ui/form/Button.tsx"
import { SelectField, TextField } from "../../ui/form/Field.tsx"
import { Row } from "../../ui/layout/Page.tsx"
import { useMember } from "../store.ts"
import css from "./Activity.module.css"
import { surfaceLabels } from "./entries.ts"
import { type ActivitySearch, activitySearch, timeSpans } from "./activitySearch.ts"
import { useActors } from "./useActors.ts"

const ACTOR_TYPES: ReadonlyArray<readonly [type: string, name: string]> = [
  ["merchant", "All members"],
  ["agent", "All agents"],
  ["app", "All apps"]
]

/** Option that replaces the time spans with two date fields. */
const CUSTOM_RANGE = "days"

const isActorType = (chosen: string) => ACTOR_TYPES.some(([type]) => type === chosen)

const today = () => new Date().toLocaleDateString("sv")

interface ActivityFiltersProps {
  readonly search: ActivitySearch
  readonly choose: (search: ActivitySearch) => void
}

/** Filters of the activity, kept in the URL. */
export const ActivityFilters = ({ choose, search }: ActivityFiltersProps) => {
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
      <search className={css["filters"]} aria-label="Filter activity">
        <SelectField
          label="Changed by"
          value={actorId ?? actorType ?? ""}
          onChange={({ target: { value } }) =>
            change(isActorType(value) ? { actorType: value, actorId: "" } : { actorType: "", actorId: value })
          }
        >
          <option value="">Anyone</option>
          {ACTOR_TYPES.map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
          {actorId === undefined || isKnown ? undefined : <option value={actorId}>Other</option>}
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
        <SelectField label="Source" value={surface ?? ""} onChange={({ target }) => change({ surface: target.value })}>
          <option value="">Any source</option>
          {Object.entries(surfaceLabels).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Resource"
          value={resource ?? ""}
          onChange={({ target }) => change({ resource: target.value })}
        >
          <option value="">All resources</option>
          <option value="product">Products</option>
          <option value="collection">Collections</option>
          <option value="settings">Settings</option>
          <option value="agent">Agents</option>
          <option value="installation">Apps</option>
          {isOwner ? (
            <>
              <option value="subscription">Subscriptions</option>
              <option value="member">Members</option>
            </>
          ) : undefined}
        </SelectField>
        <SelectField
          label="Date"
          value={isCustomRange ? CUSTOM_RANGE : (span ?? "")}
          onChange={({ target: { value } }) =>
            change(value === CUSTOM_RANGE ? { span: "", from: today() } : { span: value, from: "", to: "" })
          }
        >
          <option value="">Any time</option>
          {Object.entries(timeSpans).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value={CUSTOM_RANGE}>Custom range…</option>
        </SelectField>
        {isCustomRange ? (
          <>
            <TextField
              label="From"
              type="date"
              value={from ?? ""}
              max={to}
              onChange={({ target }) => change({ from: target.value })}
            />
            <TextField
              label="To"
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
          <span>Showing changes to one resource.</span>
          <Button onClick={() => change({ resourceId: "" })}>Show all resources</Button>
        </Row>
      )}
    </>
  )
}
