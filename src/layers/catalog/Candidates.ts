import type { CatalogRequest } from "../../domain/catalog/ListFilter.ts"
import { CatalogKind } from "../../domain/journal/Kinds.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { CATALOG_TABLES } from "../journal/CatalogTables.ts"
import { partsOf } from "../journal/FollowedStores.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { END, START } from "../sql/Pages.ts"
import { constant, type Fragment, sql } from "../sql/Statement.ts"

/*
 * Rows that a filtered list examines for one page. Their number is bounded, so that a page takes a bounded time in a store of
 * any size. A page that has examined so many ends early, with a cursor.
 */

/** Maximum number of ids that a page examines: enough to find 200 of a range, which has one in 256. */
const MAX_IDS_EXAMINED = 60_000

/** Maximum number of products whose documents a page examines, and of changes that it reads. */
const MAX_DOCUMENTS_EXAMINED = 5_000

/** Candidates for a page, and the conditions of its filter. */
export interface Candidates {
  /** Definitions of CTEs. The last one is `candidates` with the column `id`. */
  readonly definitions: Fragment
  /** Number of candidates with which the page ends early. */
  readonly most: number
  /** Condition on the `id` of a candidate. */
  readonly hasId: Fragment
  /** Condition on the `document` of a candidate. */
  readonly hasTime: Fragment
}

/** Makes the candidates of a page of a filtered list. Changes are in the journal for `journalDays` at least. */
export const candidatesOf = (
  kind: CatalogKind,
  store: StoreId,
  { cursor = START, ids, range, updatedSince }: CatalogRequest<string>,
  journalDays: number
): Candidates => {
  const conditions = {
    hasId: range === undefined ? sql`true` : sql`get_byte(uuid_send(id), 15) = ${Number.parseInt(range, 16)}`,
    hasTime: updatedSince === undefined ? sql`true` : sql`(document ->> 'updatedAt') collate "C" >= ${updatedSince}`
  }
  const nextIds = (most: number) => sql`
    select id from ${sql(CATALOG_TABLES[kind].table)}
    where store_id = ${store} and id > ${cursor} order by id limit ${constant(most)}
  `
  if (ids !== undefined) {
    const definitions = sql`
      candidates as materialized (select distinct id from unnest(${plainArray(ids)}::uuid[]) as id where id > ${cursor})
    `
    return { ...conditions, definitions, most: MAX_IDS_EXAMINED }
  }
  // Plans allow few collections, so a page may examine all of them.
  const most = updatedSince === undefined || kind === "collection" ? MAX_IDS_EXAMINED : MAX_DOCUMENTS_EXAMINED
  const since = updatedSince === undefined ? 0 : Date.parse(updatedSince)
  if (since < Date.now() - journalDays * 24 * 3_600_000) {
    return { ...conditions, definitions: sql`candidates as materialized (${nextIds(most)})`, most }
  }
  const parts = partsOf(since, Date.now())
  const kinds = plainArray(CatalogKind.literals)
  const few = sql`(select count(*) from entries) <= ${constant(MAX_DOCUMENTS_EXAMINED)}`
  const definitions = sql`
    entries as materialized (
      select resource, resource_id
      from entries_after(
        ${store}, ${leastUuidOf(new Date(since))}, ${END}, ${parts}, ${kinds}, ${constant(MAX_DOCUMENTS_EXAMINED + 1)}
      )
    ), candidates as materialized (
      select distinct resource_id as id from entries where resource = ${kind} and resource_id > ${cursor} and ${few}
      union all
      select id from (${nextIds(most)}) as next where not ${few}
    )
  `
  return { ...conditions, definitions, most }
}
