import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Facets, facetsOf } from "../../domain/catalog/Facets.ts"
import { automatedOf, type Automated } from "../../domain/catalog/MembershipChange.ts"
import type { CollectionId } from "../../domain/catalog/Collection.ts"
import { CollectionContents, ProductDocument } from "../../domain/catalog/Documents.ts"
import { newProduct, ProductId } from "../../domain/catalog/Product.ts"
import { type JsonObject } from "../../domain/json/Json.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf, millisOf } from "../../domain/Uuid.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { MembersText } from "../sql/Documents.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant, type Fragment, sql as fragment } from "../sql/Statement.ts"
import { JournalRow, membersOfSide } from "./JournalRow.ts"

/*
 * Earlier states of products and collections: entries of the journal undone one by one, from the current state back. A
 * value that is too large for the journal counts as unchanged.
 */

/** Maximum milliseconds between the clock of the database and that of a store. Ids of entries are made from both. */
const MAX_CLOCK_SKEW = 3_600_000

/** Returns the least id that an entry has which was written after this one. */
export const earliestAfter = (id: string) => leastUuidOf(new Date(millisOf(id) - MAX_CLOCK_SKEW))

/** Large members of products that no rule reads. */
const UNUSED = plainArray(["metafields", "customFields", "media", "faqs"])

const used = (json: Fragment): Fragment => fragment`(
  select coalesce(json_object_agg(key, value), '{}') from json_each(${json}::json) where key <> all(${UNUSED}::text[])
)::text`

/** Columns of {@link HistoryRow}, without members that no rule reads. */
export const HISTORY_COLUMNS = fragment`
  id, resource, resource_id as "resourceId", version, actor_id as "actorId", omitted, memberships, at, undoes,
  external_id as "externalId",
  case when before is not null then ${used(fragment`before`)} end as before,
  case when after is not null then ${used(fragment`after`)} end as after
`

/** Entry of a product or collection with what its earlier states need. */
export const HistoryRow = Schema.Struct({
  ...JournalRow.fields,
  at: Schema.Date,
  undoes: Schema.NullOr(Schema.String)
})
export type HistoryRow = typeof HistoryRow.Type

/** Entry with the states of its resource before and after; null if it did not exist. */
export interface Step {
  readonly entry: HistoryRow
  readonly before: JsonObject | null
  readonly after: JsonObject | null
}

/** Returns the changes of one resource with their states, newest first. `current` is the state after the last one. */
export const stepsOf = (current: JsonObject | null, entries: ReadonlyArray<HistoryRow>): ReadonlyArray<Step> => {
  const newestFirst = entries.toSorted(
    (a, b) => b.version - a.version || Number(b.after === null) - Number(a.after === null)
  )
  let state = current
  return newestFirst.map((entry) => {
    const isEnd = entry.after === null
    const after = isEnd ? null : state
    const old = membersOfSide(entry.before)
    if (entry.before === null) state = null
    else state = isEnd ? old : restoreMembers(after ?? {}, old, membersOfSide(entry.after))
    return { entry, before: state, after }
  })
}

/** Returns the state right after a position. */
export const stateAfter = (current: JsonObject | null, steps: ReadonlyArray<Step>, position: string) => {
  const next = steps.findLast(({ entry }) => entry.id > position)
  return next === undefined ? current : next.before
}

const NO_ID = ProductId.make("00000000-0000-0000-0000-000000000000")
const BLANK = newProduct({ name: "" }, { id: NO_ID, slug: "", at: new Date(0), currencyCode: "EUR" })

/** Returns the facets of a state, whose unused members are absent. */
export const facetsIn = (state: JsonObject | null): Facets | null =>
  state && facetsOf(ProductDocument.decode({ ...BLANK, ...state }))

/** Returns the rules in a state of a collection; null if it is manual or does not exist. */
export const automatedIn = (id: CollectionId, state: JsonObject | null): Automated | null => {
  if (state === null) return null
  const { disjunctive, rules, title, type } = CollectionContents.decode(state)
  return type === "automated" ? automatedOf({ id, title, disjunctive, rules }) : null
}

const readEntries = rowsReader(HistoryRow)
const readStates = rowsReader(Schema.Struct({ id: Schema.String, state: MembersText }))

/** Resource whose entries are read: those with this version or a later one, written after the entry `since`. */
export interface Wanted {
  readonly id: string
  readonly version: number
  readonly since: string
}

/** Queries of states and entries of resources. */
export const resourceHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Lists the later entries of resources, at most `most` in total. */
    listEntries: (store: StoreId, wanted: ReadonlyArray<Wanted>, most: number) =>
      readEntries(sql`
        select j.* from unnest(
          ${plainArray(wanted.map(({ id }) => id))}::uuid[], ${plainArray(wanted.map(({ version }) => version))}::integer[],
          ${plainArray(wanted.map(({ since }) => earliestAfter(since)))}::uuid[]
        ) as wanted (resource_id, version, earliest), lateral (
          select ${HISTORY_COLUMNS}
          from entries_of_resource(${store}, wanted.resource_id, wanted.earliest, wanted.version, ${constant(most)})
        ) as j
        limit ${constant(most)}
      `),

    /** Lists the newest entries of a resource. */
    listNewest: (store: StoreId, id: string, since: string, until: string, most: number) =>
      readEntries(sql`
        select ${HISTORY_COLUMNS} from entries_before_of_resource(${store}, ${until}, ${since}, ${constant(most)}, ${id})
      `),

    /** Returns the current states of products by id. */
    findProducts: (store: StoreId, ids: ReadonlyArray<string>) =>
      Effect.map(
        readStates(sql`
          select wanted.id, product.state from unnest(${plainArray(ids)}::uuid[]) as wanted (id), lateral (
            select ${used(fragment`document`)} as state from products p
            where p.store_id = ${store} and p.id = wanted.id offset 0
          ) as product
        `),
        (rows) => new Map<string, JsonObject>(rows.map(({ id, state }) => [id, state]))
      )
  }
})
