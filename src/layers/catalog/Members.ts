import type { CollectionHead } from "../../domain/catalog/Collection.ts"
import { conditionsOf } from "../../domain/catalog/Rule.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { type Place, productsWhere, type SqlValue } from "./RuleSql.ts"

/** What decides which products an automated collection holds. */
export type Rules = Pick<CollectionHead, "disjunctive" | "rules">

/** The products that match the rules, as what follows `select id`. */
export const matching = (place: Place, store: StoreId, { disjunctive, rules }: Rules): string =>
  productsWhere(place, store, conditionsOf(rules), disjunctive)

/** The products of a collection as members of its JSON, given as what follows `select`. */
const listOf = (id: string, order: string, products: string) => `
  select '{"productIds":[' || coalesce('"' || string_agg(${id}::text, '","' order by ${order}) || '"', '')
    || '],"productCount":' || count(*) || '}'
  ${products}
`

const MANUAL = listOf(
  "product_id",
  "position",
  "from collection_members where (store_id, collection_id) = (c.store_id, c.id)"
)

/** What a manual collection holds: store, collection. */
export const selectMembers = statement(`
  select (${listOf("product_id", "position", "from collection_members where store_id = $1 and collection_id = $2")})
    as members
`)

/** Where a product stands among the ids that a collection is to hold, sorted: the only place it can have there. */
const placeOf = (id: string) => `width_bucket(${id}, (select sorted from wanted))`
const positionOf = (id: string) => `(select positions from wanted)[${placeOf(id)}]`

/** Takes out what a collection is no longer to hold: store, collection, the products that stay or come. */
export const removeOtherMembers = statement(`
  with wanted as materialized (select array_agg(id order by id) as sorted from unnest($3::uuid[]) as id)
  delete from collection_members
  where store_id = $1 and collection_id = $2
    and (select sorted from wanted)[${placeOf("product_id")}] is distinct from product_id
`)

/**
 * Makes a collection that holds no others hold products in an order: store, collection, the products, and which of them
 * are not its members yet. Writes only what differs: rows cost most where they are made, with two foreign keys to check.
 * Positions are looked up in two values and not joined, as of a table that nobody has analyzed yet a join would compare
 * each row with each.
 */
export const placeMembers = statement(`
  with wanted as materialized (
    select array_agg(id) as sorted, array_agg(position) as positions from (
      select id, (place - 1)::integer as position from unnest($3::uuid[]) with ordinality as given (id, place) order by id
    ) as in_order
  ), moved as (
    update collection_members set position = ${positionOf("product_id")}
    where store_id = $1 and collection_id = $2 and position <> ${positionOf("product_id")}
  )
  insert into collection_members (store_id, collection_id, position, product_id)
  select $1, $2, ${positionOf("id")}, id from unnest($4::uuid[]) as id
`)

/** The products that match the rules. */
export const selectMatches = (store: StoreId, rules: Rules): Statement => {
  const values: Array<SqlValue> = []
  const products = matching((type, value) => `$${values.push(value)}::${type}`, store, rules)
  return statement(`select (${listOf("id", "id", products)}) as members`)(...values)
}

/**
 * The products of an automated collection as a query over a row `given`, whose `filling` holds the values of its rules:
 * collections whose rules differ in nothing else have the same one. A page of 50 that share it takes the database 24 ms;
 * each with a query of its own they took 31, what they allocate and the start of 50 plans.
 */
export const automatedQuery = (store: StoreId, rules: Rules) => {
  const filling: Array<SqlValue> = []
  const values: Array<string> = []
  const products = matching(
    (type, value) => {
      const place = filling.push(value) - 1
      const given = type.endsWith("[]")
        ? `array(select jsonb_array_elements_text(filling -> ${place}))`
        : `(filling ->> ${place})`
      values.push(`${given}::${type} as v${place}`)
      return `v${place}`
    },
    store,
    rules
  )
  // `offset 0` has the values made once, and not for each product they are held against.
  const query = `
    select members from (select ${values.join(", ")} offset 0) as v, lateral (${listOf("id", "id", products)}) as l (members)
  `
  return { query, filling }
}

/**
 * Collections with their members, one after the other in the order given, until those before have passed `$3` bytes or
 * `$4` milliseconds: what comes after is neither computed nor sent. `$1` is the store; `$2` holds of each collection its
 * place from 1 on, id and version and, of an automated one, its `shape` (which of `queries` is its own) and `filling`.
 * One that is gone is left out; one of another version comes without members. The first takes as long as it takes.
 *
 * One JSON value and not an array for each column: of those PostgreSQL guesses how long they are, differently when it
 * sees them, and then plans anew each time.
 */
export const withMembers = (queries: ReadonlyArray<string>): string => {
  const automated = queries.map((query, shape) => `when ${shape} then (${query})`).join(" ")
  return `
    with recursive page (place, id, version, document, members, bytes) as (
      select 0, null::uuid, null::integer, null::text, null::text, 0
      union all
      select given.place, c.id, c.version, read.document, read.members,
        page.bytes + coalesce(octet_length(read.document), 0) + coalesce(octet_length(read.members), 0)
      from page
      join jsonb_to_recordset($2::jsonb) as given (place integer, id uuid, version integer, shape integer, filling jsonb)
        on given.place = page.place + 1
      left join collections c on c.store_id = $1 and c.id = given.id
      cross join lateral (
        select c.document::text as document, case
          when c.document ->> 'type' = 'manual' then (${MANUAL})
          ${automated && `when c.version = given.version then case given.shape ${automated} end`}
        end as members
        offset 0
      ) as read
      where page.bytes = 0
        or page.bytes < $3 and clock_timestamp() < statement_timestamp() + $4 * interval '1 millisecond'
    )
    select id, version, document, members,
      exists (select 1 from collections c where c.store_id = $1 and c.id > page.id) as "isFollowed"
    from page where id is not null order by place
  `
}
