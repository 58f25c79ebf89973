import { Array, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EntryId } from "../../domain/journal/Activity.ts"
import { changedBy, isByVariant, type Members, overlapOf } from "../../domain/journal/Conflicts.ts"
import { MAX_SINCE } from "../../domain/journal/Undo.ts"
import type { StoreId } from "../../domain/Store.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant, sql as fragment } from "../sql/Statement.ts"
import type { Wanted } from "./ResourceHistory.ts"
import { earliestAfter } from "./ResourceHistory.ts"

const readChanges = rowsReader(
  Schema.Struct({
    id: Schema.toType(EntryId),
    place: Schema.Int,
    resourceId: Schema.String,
    version: Schema.Int,
    isEnd: Schema.Boolean,
    members: Schema.NullOr(Schema.Array(Schema.String)),
    undoes: Schema.NullOr(Schema.toType(EntryId)),
    changeSetId: Schema.NullOr(Schema.String)
  })
)

const variantsOf = (side: "before" | "after") => fragment`
  select v, v ->> 'id' as id, place
  from json_array_elements(${fragment.literal(side)}::json -> 'variants') with ordinality as one (v, place)
`

const pairsOf = (side: "o" | "n") => fragment`select key, value::text from json_each(${fragment.literal(side)}.v)`

/** Paths of what an entry changed in variants (domain/journal/Conflicts.ts). */
const variantPaths = fragment`(
  with o as (${variantsOf("before")}), n as (${variantsOf("after")})
  select 'variants/ids' where (select array_agg(id order by place) from o)
    is distinct from (select array_agg(id order by place) from n)
  union all
  select 'variants/' || coalesce(o.id, n.id) from o full join n on o.id = n.id where o.id is null or n.id is null
  union all
  select 'variants/' || o.id || '/' || key from o join n on o.id = n.id, lateral (
    (${pairsOf("o")} except ${pairsOf("n")}) union (${pairsOf("n")} except ${pairsOf("o")})
  ) as different
  where o.v::text <> n.v::text
)`

/** Resource whose later changes are listed. `isByVariant`: paths name single variants. */
export interface WantedChanges extends Wanted {
  readonly isByVariant: boolean
}

/** A change of a resource, computed from an earlier version than the current one. */
export interface Outdated {
  readonly id: string
  /** Version that the change was computed from; null if it was another resource, with which the change conflicts. */
  readonly version: number | null
  /** Version before the change is made. */
  readonly current: number
  readonly touched: Members
}

type OutdatedVersion = Outdated & { readonly version: number }

const hasVersion = (one: Outdated): one is OutdatedVersion => one.version !== null

/** Splits changes into groups whose resources have at most {@link MAX_SINCE} later changes together. */
const groupsOf = (changes: ReadonlyArray<OutdatedVersion>) => {
  const groups: globalThis.Array<globalThis.Array<OutdatedVersion>> = []
  let size = Infinity
  for (const one of changes) {
    const count = one.current - one.version
    if (count > MAX_SINCE) continue
    size += count
    if (size > MAX_SINCE) {
      groups.push([])
      size = count
    }
    groups.at(-1)?.push(one)
  }
  return groups
}

/** Identifies the list of later changes that a change is compared with. */
const keyOf = ({ id, touched, version }: OutdatedVersion) => `${id} ${version} ${isByVariant(touched)}`

/**
 * Finds with what later changes of others each of some changes conflicts: in no members, in some, or in the whole resource
 * (null).
 */
export type FindConflicts = (changes: ReadonlyArray<Outdated>) => Effect.Effect<ReadonlyArray<Members>>

/** Queries of the changes of resources after a version, and conflicts with them. */
export const laterChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Lists the changes of resources from a version on, {@link MAX_SINCE} and one at most. */
  const list = (store: StoreId, wanted: ReadonlyArray<WantedChanges>) =>
    readChanges(sql`
      select j.id, place::integer as place, j.resource_id as "resourceId", j.version, j.after is null as "isEnd", j.members, j.undoes,
        j.change_set_id as "changeSetId"
      from unnest(
        ${plainArray(wanted.map(({ id }) => id))}::uuid[], ${plainArray(wanted.map(({ version }) => version))}::integer[],
        ${plainArray(wanted.map(({ since }) => earliestAfter(since)))}::uuid[],
        ${plainArray(wanted.map(({ isByVariant }) => String(isByVariant)))}::boolean[]
      ) with ordinality as wanted (resource_id, version, earliest, by_variant, place), lateral (
        select id, resource_id, version, after, undoes, change_set_id, case when before is not null and after is not null then
          omitted || array(
            select json_object_keys(before::json) union select json_object_keys(after::json)
            except select unnest('{version,updatedAt}'::text[]) except select 'variants' where has_paths
          ) || case when has_paths then array${variantPaths} else '{}' end
        end as members
        from entries_of_resource(
          ${store}, wanted.resource_id, wanted.earliest, wanted.version, ${constant(MAX_SINCE + 1)}
        ), lateral (
          select case when wanted.by_variant then
            coalesce(json_typeof(before::json -> 'variants') = 'array', false)
            and coalesce(json_typeof(after::json -> 'variants') = 'array', false)
          else false end as has_paths
        ) as detail
      ) as j
      limit ${constant(MAX_SINCE + 1)}
    `)

  return {
    list,

    /**
     * Makes the function that finds conflicts. `since`: an id from before the versions of the changes were read. Changes of
     * the set `own` are not those of others. The resources must be locked, because later changes are read once.
     */
    conflictsSince: (store: StoreId, since: string, own: string | null): FindConflicts => {
      /** Members that others changed; null also if the journal does not hold all changes. */
      const known = new Map<string, Members>()
      return Effect.fnUntraced(function* (changes: ReadonlyArray<Outdated>) {
        const unknown = new Map(
          changes
            .filter(hasVersion)
            .filter((one) => one.touched?.length !== 0 && !known.has(keyOf(one)))
            .map((one) => [keyOf(one), one] as const)
        )
        for (const group of groupsOf([...unknown.values()])) {
          const found = yield* list(
            store,
            group.map(({ id, touched, version }) => ({
              id,
              version: version + 1,
              since,
              isByVariant: isByVariant(touched)
            }))
          )
          const byPlace = Array.groupBy(found, ({ place }) => String(place))
          for (const [at, one] of group.entries()) {
            const later = (byPlace[String(at + 1)] ?? []).filter(({ version }) => version <= one.current)
            const isComplete = new Set(later.map(({ version }) => version)).size === one.current - one.version
            const others = later.filter(({ changeSetId }) => own === null || changeSetId !== own)
            known.set(keyOf(one), isComplete ? changedBy(others) : null)
          }
        }
        return changes.map((one) => (hasVersion(one) ? overlapOf(one.touched, known.get(keyOf(one)) ?? null) : null))
      }, orDefect)
    }
  }
})
