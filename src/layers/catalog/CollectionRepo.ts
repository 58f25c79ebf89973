import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { CollectionHead, CollectionId } from "../../domain/catalog/Collection.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { conditionsOf } from "../../domain/catalog/Rule.ts"
import { type Document, extend, type JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { count, oneRowOf, rowOf, rowsOf, run } from "../Rows.ts"
import { type Place, productsWhere, type SqlValue } from "./RuleSql.ts"

const Row = Schema.Struct({
  id: Schema.typeSchema(CollectionId),
  version: Schema.Int,
  document: Schema.String
})
type Row = typeof Row.Type

const rowsOfHeads = rowsOf(Row)
const rowsWithMembers = rowsOf(Schema.Struct({ ...Row.fields, members: Schema.NullOr(Schema.String) }))
const lockedOf = rowOf(Schema.Struct({ ...Row.fields, at: Schema.DateFromSelf, eventId: Schema.String }))
const membersOf = oneRowOf(Schema.Struct({ members: Schema.String }))

/** What a read has to know of a collection; that its rules make sense was seen when it was written. */
const decodeRead = Schema.decodeUnknown(
  Schema.Array(
    Schema.Struct({
      id: Schema.typeSchema(CollectionId),
      version: Schema.Int,
      type: Schema.String,
      disjunctive: Schema.Boolean,
      rules: Schema.Array(
        Schema.Struct({ field: Schema.String, relation: Schema.String, value: optional(Schema.Unknown) })
      )
    })
  )
)

const decodeHead = Schema.decodeUnknown(CollectionHead)
const headOf = (row: Row): Effect.Effect<CollectionHead> => Effect.orDie(decodeHead(parse(row.document)))

type Rules = Pick<CollectionHead, "disjunctive" | "rules">

const matching = (place: Place, store: StoreId, { disjunctive, rules }: Rules) =>
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

const MEMBERS = `select (${listOf(
  "product_id",
  "position",
  "from collection_members where store_id = $1 and collection_id = $2"
)}) as members`

/**
 * Writes only what differs: rows cost most where they are made, with two foreign keys to check. Positions are looked up
 * in one value and not joined, as of a table that nobody has analyzed yet a join would compare each row with each.
 */
const SET_MEMBERS = `
  with gone as (
    delete from collection_members
    where store_id = $1 and collection_id = $2 and not $3::jsonb ? product_id::text
  ), moved as (
    update collection_members set position = ($3::jsonb ->> product_id::text)::integer
    where store_id = $1 and collection_id = $2 and position <> ($3::jsonb ->> product_id::text)::integer
  )
  insert into collection_members (store_id, collection_id, position, product_id)
  select $1, $2, ($3::jsonb ->> id::text)::integer, id from unnest($4::uuid[]) as id
`

/** Each id with its place, as JSON. */
const positionsOf = (ids: ReadonlyArray<string>) => `{${ids.map((id, index) => `"${id}":${index}`).join(",")}}`

/**
 * The products of an automated collection as a query over a row `given`, whose `filling` holds the values of its rules:
 * collections whose rules differ in nothing else have the same one. A page of 50 that share it takes the database 24 ms;
 * each with a query of its own they took 31, what they allocate and the start of 50 plans.
 */
const queryOf = (store: StoreId, rules: Rules) => {
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

/** SQL for collections, and nothing else: no permissions, no events. Failures of the database are defects. */
export const makeCollectionRepo = (sql: PgClient.PgClient) => {
  const heads = (store: StoreId, ids: ReadonlyArray<CollectionId>) =>
    rowsOfHeads(sql`
      select id, version, document::text as document from collections
      where store_id = ${store} and id = any(${ids}::uuid[]) order by id
    `)

  /**
   * Each collection with its products, from one statement and so from one moment. The rules had to be read before the
   * statement could be written, so it applies them only to the versions they were read from: a collection that changed
   * in between comes back without products and is asked for again, by the rules that came with it.
   */
  const read = (store: StoreId, rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Document<CollectionId>>> =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const known = yield* Effect.orDie(decodeRead(rows.map(({ document }) => parse(document))))
      const queries: Array<string> = []
      const given = known.map(({ id, version, ...head }) => {
        if (head.type !== "automated") return { id, version }
        const { filling, query } = queryOf(store, head)
        const shape = queries.includes(query) ? queries.indexOf(query) : queries.push(query) - 1
        return { id, version, shape, filling }
      })
      const automated = queries.map((query, shape) => `when ${shape} then (${query})`).join(" ")
      // One JSON value and not an array for each column: of those PostgreSQL guesses how long they are, differently when
      // it sees them, and then plans anew each time.
      const found = yield* rowsWithMembers(
        sql.unsafe(
          `
            select c.id, c.version, document::text as document, case
              when document ->> 'type' = 'manual' then (${MANUAL})
              ${automated && `when c.version = given.version then case shape ${automated} end`}
            end as members
            from jsonb_to_recordset($2::jsonb) as given (id uuid, version integer, shape integer, filling jsonb)
            join collections c on c.store_id = $1 and c.id = given.id
            order by c.id
          `,
          [store, stringify(given)]
        )
      )
      return found.some(({ members }) => members === null)
        ? yield* read(store, found)
        : found.map(({ document, id, members, version }) => ({ id, version, json: extend(document, members ?? "{}") }))
    })

  return {
    page: Effect.fnUntraced(function* (store: StoreId, { cursor, limit }: PageRequest<CollectionId>) {
      const rows = yield* rowsOfHeads(sql`
        select id, version, document::text as document from collections
        where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
        order by id limit ${limit + 1}
      `)
      const documents = yield* read(store, rows.slice(0, limit))
      return {
        items: `[${documents.map(({ json }) => json).join(",")}]`,
        nextCursor: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null
      }
    }),

    get: (store: StoreId, id: CollectionId): Effect.Effect<Option.Option<Document<CollectionId>>> =>
      Effect.map(
        Effect.flatMap(heads(store, [id]), (rows) => read(store, rows)),
        ([document]) => Option.fromNullable(document)
      ),

    insert: (store: StoreId, head: CollectionHead): Effect.Effect<JsonText> => {
      const document = stringify(head)
      return Effect.as(run(sql`insert into collections (store_id, document) values (${store}, ${document})`), document)
    },

    update: (store: StoreId, head: CollectionHead): Effect.Effect<JsonText> => {
      const document = stringify(head)
      return Effect.as(
        run(sql`update collections set document = ${document} where store_id = ${store} and id = ${head.id}`),
        document
      )
    },

    /** The collection, which nobody else changes until the transaction ends, with the time and an id for its event. */
    lock: (store: StoreId, id: CollectionId) =>
      Effect.flatMap(
        lockedOf(sql`
          with held as materialized (
            select id, version, document from collections where store_id = ${store} and id = ${id} for no key update
          )
          select id, version, document::text as document, clock_timestamp() as at, uuid_v7(clock_micros()) as "eventId"
          from held
        `),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: ({ at, eventId, ...row }) =>
            Effect.map(headOf(row), (head) => Option.some({ head, document: row.document, at, eventId }))
        })
      ),

    delete: (store: StoreId, id: CollectionId): Effect.Effect<number> =>
      count(sql`delete from collections where store_id = ${store} and id = ${id} returning 1`),

    /** What a manual collection holds, as members of its JSON. */
    members: (store: StoreId, id: CollectionId): Effect.Effect<JsonText> =>
      Effect.map(membersOf(sql.unsafe(MEMBERS, [store, id])), ({ members }) => members),

    /** What the rules match now, as members of the collection's JSON. */
    matches: (store: StoreId, rules: Rules): Effect.Effect<JsonText> => {
      const values: Array<unknown> = []
      const products = matching((type, value) => `$${values.push(value)}::${type}`, store, rules)
      const list = membersOf(sql.unsafe(`select (${listOf("id", "id", products)}) as members`, values))
      return Effect.map(list, ({ members }) => members)
    },

    /** Makes the collection hold these products in this order, of which only `added` are not its members yet. */
    setMembers: (
      store: StoreId,
      id: CollectionId,
      products: ReadonlyArray<ProductId>,
      added: ReadonlyArray<ProductId>
    ): Effect.Effect<void> => run(sql.unsafe(SET_MEMBERS, [store, id, positionsOf(products), `{${added.join(",")}}`])),

    removeMembers: (store: StoreId, id: CollectionId): Effect.Effect<void> =>
      run(sql`delete from collection_members where store_id = ${store} and collection_id = ${id}`)
  }
}
