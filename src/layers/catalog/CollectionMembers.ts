import type { CollectionHead, CollectionId } from "../../domain/catalog/Collection.ts"
import { conditionsOf } from "../../domain/catalog/Rule.ts"
import type { JsonText } from "../../domain/Document.ts"
import { PAGE_BYTES, PAGE_MILLIS } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type Fragment, sql, type Statement } from "../sql/Statement.ts"
import { bindParameter, type BindValue, productsWhere, type SqlValue } from "./RuleSql.ts"

/** What decides which products an automated collection holds. */
export type Rules = Pick<CollectionHead, "disjunctive" | "rules">

/** The products that match the rules, as what follows `select id`. */
export const matching = (place: BindValue, store: StoreId, { disjunctive, rules }: Rules): Fragment =>
  productsWhere(place, store, conditionsOf(rules), disjunctive)

/** The products of a collection as members of its JSON, given as what follows `select`. */
const listOf = (id: Fragment, order: Fragment, products: Fragment): Fragment => sql`
  select '{"productIds":[' || coalesce('"' || string_agg(${id}::text, '","' order by ${order}) || '"', '')
    || '],"productCount":' || count(*) || '}'
  ${products}
`

const ID = sql`id`
const PRODUCT_ID = sql`product_id`
const POSITION = sql`position`

const MANUAL = listOf(
  PRODUCT_ID,
  POSITION,
  sql`from collection_members where (store_id, collection_id) = (c.store_id, c.id)`
)

/** The members of a manual collection. */
export const selectMembers = (store: StoreId, collection: CollectionId) => {
  const products = sql`from collection_members where store_id = ${store} and collection_id = ${collection}`
  return sql`select (${listOf(PRODUCT_ID, POSITION, products)}) as members`
}

/** Takes out what a collection is no longer to hold. `wanted` are the products that stay or come. */
export const removeOtherMembers = (store: StoreId, collection: CollectionId, wanted: string) => sql`
  with wanted as materialized (select array_agg(id order by id) as sorted from unnest(${wanted}::uuid[]) as id)
  delete from collection_members
  where store_id = ${store} and collection_id = ${collection}
    and (select sorted from wanted)[width_bucket(product_id, (select sorted from wanted))] is distinct from product_id
`

/** The position of a product among those that a collection is to hold: the only place that it can have in a sorted list. */
const positionOf = (id: Fragment): Fragment =>
  sql`(select positions from wanted)[width_bucket(${id}, (select sorted from wanted))]`

/**
 * Makes a collection that holds no others hold products in an order. `added` are those that are not its members yet.
 * Writes only what differs: rows cost most where they are made, with two foreign keys to check. Positions are looked up in
 * two values and not joined, as of a table that nobody has analyzed yet a join would compare each row with each.
 */
export const placeMembers = (store: StoreId, collection: CollectionId, wanted: string, added: string) => sql`
  with wanted as materialized (
    select array_agg(id) as sorted, array_agg(position) as positions from (
      select id, (place - 1)::integer as position from unnest(${wanted}::uuid[]) with ordinality as given (id, place)
      order by id
    ) as in_order
  ), moved as (
    update collection_members set position = ${positionOf(PRODUCT_ID)}
    where store_id = ${store} and collection_id = ${collection} and position <> ${positionOf(PRODUCT_ID)}
  )
  insert into collection_members (store_id, collection_id, position, product_id)
  select ${store}::uuid, ${collection}::uuid, ${positionOf(ID)}, id from unnest(${added}::uuid[]) as id
`

/** The products that match the rules. */
export const selectMatches = (store: StoreId, rules: Rules): Statement =>
  sql`select (${listOf(ID, ID, matching(bindParameter, store, rules))}) as members`

/**
 * The products of an automated collection as a query over a row `given`, whose `filling` holds the values of its rules:
 * collections whose rules differ in nothing else have the same one. A page of 50 that share it takes the database 24 ms;
 * each with a query of its own they took 31, what they allocate and the start of 50 plans.
 */
export const automatedQuery = (store: StoreId, rules: Rules) => {
  const filling: Array<SqlValue> = []
  const values: Array<Fragment> = []
  const products = matching(
    (type, value) => {
      const place = filling.push(value) - 1
      const given = type.endsWith("[]")
        ? `array(select jsonb_array_elements_text(filling -> ${place}))`
        : `(filling ->> ${place})`
      values.push(sql.literal(`${given}::${type} as v${place}`))
      return sql.literal(`v${place}`)
    },
    store,
    rules
  )
  // `offset 0` has the values made once, and not for each product they are held against.
  const [query] = sql`
    select members from (select ${sql.csv(values)} offset 0) as v, lateral (${listOf(ID, ID, products)}) as l (members)
  `.compile()
  return { query, filling }
}

/**
 * Collections with their members, one after the other in the order given, until those before have passed {@link PAGE_BYTES}
 * or {@link PAGE_MILLIS}: what comes after is neither computed nor sent. `given` holds of each collection its place from 1
 * on, id and version and, of an automated one, its `shape` (which of `queries` is its own) and `filling`. One that is gone
 * is left out; one of another version comes without members. The first takes as long as it takes.
 *
 * One JSON value and not an array for each column: of those PostgreSQL guesses how long they are, differently when it
 * sees them, and then plans anew each time.
 */
export const withMembers = (store: StoreId, given: JsonText, queries: ReadonlyArray<string>): Statement => {
  const shapes = queries.map((query, shape) => `when ${shape} then (${query})`).join(" ")
  const automated = sql.literal(shapes && `when c.version = given.version then case given.shape ${shapes} end`)
  return sql`
    with recursive page (place, id, version, document, members, bytes) as (
      select 0, null::uuid, null::integer, null::text, null::text, 0
      union all
      select given.place, c.id, c.version, read.document, read.members,
        page.bytes + coalesce(octet_length(read.document), 0) + coalesce(octet_length(read.members), 0)
      from page
      join jsonb_to_recordset(${given}::jsonb)
        as given (place integer, id uuid, version integer, shape integer, filling jsonb) on given.place = page.place + 1
      left join collections c on c.store_id = ${store} and c.id = given.id
      cross join lateral (
        select c.document::text as document,
          case when c.document ->> 'type' = 'manual' then (${MANUAL}) ${automated} end as members
        offset 0
      ) as read
      where page.bytes = 0 or page.bytes < ${PAGE_BYTES}
        and clock_timestamp() < statement_timestamp() + ${PAGE_MILLIS} * interval '1 millisecond'
    )
    select id, version, document, members,
      exists (select 1 from collections c where c.store_id = ${store} and c.id > page.id) as "isFollowed"
    from page where id is not null order by place
  `
}
