import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { CollectionHead, CollectionId, RULES_SECONDS, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { PAGE_BYTES, PAGE_MILLIS, type PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Reads } from "../Reads.ts"
import { count, oneRowOf, rowOf, rowsOf, run } from "../Rows.ts"
import { write } from "../Writes.ts"
import { automatedQuery, matchesOf, MEMBERS, positionsOf, type Rules, SET_MEMBERS, withMembers } from "./Members.ts"
import { BYTES_BEFORE } from "./Sizes.ts"

const Row = Schema.Struct({
  id: Schema.typeSchema(CollectionId),
  version: Schema.Int,
  document: Schema.String
})
type Row = typeof Row.Type

const rowsOfHeads = rowsOf(Row)
const rowsWithMembers = rowsOf(
  Schema.Struct({
    ...Row.fields,
    members: Schema.NullOr(Schema.String),
    isFollowed: Schema.Boolean
  })
)
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

/** What a document says, as with products: by the rules of the day on which it was written. */
const decodeHead = Schema.decodeUnknown(Schema.encodedSchema(CollectionHead))
const headOf = ({ document, id }: Row): Effect.Effect<CollectionHead> =>
  Effect.orDie(Effect.map(decodeHead(parse(document)), (head) => ({ ...head, id })))

const RULES_MILLIS = RULES_SECONDS * 1000

/** A collection and what it holds, which comes and goes while the version stays: also by hand, as products are deleted. */
export const withProducts = ({ document, id, version }: Row, members: JsonText): Document<CollectionId> => ({
  id,
  version,
  json: extend(document, members),
  computed: members
})

/** A collection with its products, and whether the store has another one behind it. */
interface Found {
  readonly document: Document<CollectionId>
  readonly isFollowed: boolean
}

/** SQL for collections, and nothing else: no permissions, no events. Failures of the database are defects. */
export const makeCollectionRepo = (sql: PgClient.PgClient, reads: Reads) => {
  const heads = (store: StoreId, ids: ReadonlyArray<CollectionId>) =>
    rowsOfHeads(
      reads.rows(sql`
        select id, version, document::text as document from collections
        where store_id = ${store} and id = any(${ids}::uuid[]) order by id
      `)
    )

  /**
   * Each collection with its products, from one statement and so from one moment: the first of them, and as many more as
   * a page has room and time for. The rules had to be read before the statement could be written, so it applies them
   * only to the versions they were read from: a collection that changed in between comes back without products and is
   * asked for again, by the rules that came with it. Rules that take too long are refused when they are those of the
   * first; behind it they are left for the next page.
   */
  const read = (
    store: StoreId,
    rows: ReadonlyArray<Row>,
    millis = RULES_MILLIS
  ): Effect.Effect<ReadonlyArray<Found>, RulesTooSlow> =>
    Effect.gen(function* () {
      const [first] = rows
      if (first === undefined) return []
      const known = yield* Effect.orDie(decodeRead(rows.map(({ document }) => parse(document))))
      const queries: Array<string> = []
      const given = known.map(({ id, version, ...head }, index) => {
        const place = index + 1
        if (head.type !== "automated") return { place, id, version }
        const { filling, query } = automatedQuery(store, head)
        const shape = queries.includes(query) ? queries.indexOf(query) : queries.push(query) - 1
        return { place, id, version, shape, filling }
      })
      const statement = write(withMembers(queries), [store, stringify(given), PAGE_BYTES, PAGE_MILLIS])
      const answer = yield* Effect.option(
        queries.length === 0 ? reads.rows(statement) : reads.rowsWithin(millis)(statement)
      )
      if (Option.isNone(answer)) {
        if (rows.length === 1) return yield* new RulesTooSlow({ collection: first.id })
        // If it was not the first that took so long, that one is done in the time of a page.
        return yield* read(store, [first], 2 * PAGE_MILLIS)
      }
      const found = yield* rowsWithMembers(Effect.succeed(answer.value))
      if (found.some(({ members }) => members === null)) return yield* read(store, found)
      return found.map(({ isFollowed, members, ...row }) => ({
        document: withProducts(row, members ?? "{}"),
        isFollowed
      }))
    })

  const page = (
    store: StoreId,
    request: PageRequest<CollectionId>
  ): Effect.Effect<DocumentPage<CollectionId>, RulesTooSlow> =>
    Effect.gen(function* () {
      const { cursor, limit } = request
      const rows = yield* rowsOfHeads(
        reads.rows(sql`
          select id, version, document::text as document from (
            select id, version, document, ${sql.literal(BYTES_BEFORE)} < ${PAGE_BYTES} as fits from collections
            where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
            order by id limit ${limit}
          ) as page
          where fits order by id
        `)
      )
      const found = yield* read(store, rows)
      // All of them may have been deleted since, and others be left.
      if (found.length === 0 && rows.length > 0) return yield* page(store, request)
      const last = found.at(-1)
      return {
        items: `[${found.map(({ document }) => document.json).join(",")}]`,
        nextCursor: last?.isFollowed ? last.document.id : null
      }
    })

  return {
    page,

    get: (store: StoreId, id: CollectionId): Effect.Effect<Option.Option<Document<CollectionId>>, RulesTooSlow> =>
      Effect.map(
        Effect.flatMap(heads(store, [id]), (rows) => read(store, rows)),
        ([found]) => Option.fromNullable(found?.document)
      ),

    insert: (store: StoreId, head: CollectionHead): Effect.Effect<JsonText> => {
      const document = stringify(head)
      return Effect.as(
        run(sql`
          insert into collections (store_id, document, bytes, bytes_of)
          values (${store}, ${document}, ${Buffer.byteLength(document)}, ${head.version})
        `),
        document
      )
    },

    update: (store: StoreId, head: CollectionHead): Effect.Effect<JsonText> => {
      const document = stringify(head)
      return Effect.as(
        run(sql`
          update collections set document = ${document}, bytes = ${Buffer.byteLength(document)}, bytes_of = ${head.version}
          where store_id = ${store} and id = ${head.id}
        `),
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
      Effect.map(membersOf(reads.rows(write(MEMBERS, [store, id]))), ({ members }) => members),

    /** What the rules match now, as members of the JSON of the collection, which is null where it is yet to be made. */
    matches: (store: StoreId, collection: CollectionId | null, rules: Rules): Effect.Effect<JsonText, RulesTooSlow> =>
      reads
        .rowsWithin(RULES_MILLIS)(write(...matchesOf(store, rules)))
        .pipe(
          Effect.catchTag("TookTooLong", () => new RulesTooSlow({ collection })),
          Effect.flatMap((rows) => membersOf(Effect.succeed(rows))),
          Effect.map(({ members }) => members)
        ),

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
