import { Effect, Option, Schema } from "effect"
import { compileStoredDecoder, compileTrustedDecoder } from "../../domain/Decoder.ts"
import { CollectionHead, CollectionId, RULES_SECONDS, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { PAGE_BYTES, PAGE_MILLIS, type PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { countOf, firstOf, firstWithin, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import {
  automatedQuery,
  placeMembers,
  removeOtherMembers,
  type Rules,
  selectMatches,
  selectMembers,
  withMembers
} from "./CollectionMembers.ts"
import { type ChangeStamp, stampOf } from "./Allocation.ts"
import { listOf } from "../Lists.ts"
import { DOCUMENT_BYTES } from "./Columns.ts"

/*
 * SQL for collections, and nothing else: no permissions, no events.
 */

const Row = Schema.Struct({
  id: Schema.toType(CollectionId),
  version: Schema.Int,
  document: Schema.String
})
export type CollectionRow = typeof Row.Type

const RowWithMembers = Schema.Struct({
  ...Row.fields,
  members: Schema.NullOr(Schema.String),
  isFollowed: Schema.Boolean
})

/** What a read has to know of a collection; that its rules make sense was seen when it was written. */
const decodeRead = compileTrustedDecoder(
  Schema.Array(
    Schema.Struct({
      id: Schema.toType(CollectionId),
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
const decodeHead = compileStoredDecoder(CollectionHead)

/** A collection as its document says, of whose members some may be those of a whole collection. */
export const headOf = (fields: unknown, id: CollectionId): CollectionHead => ({ ...decodeHead(fields), id })

export const RULES_MILLIS = RULES_SECONDS * 1000

/**
 * Reads of a request in a row that rules may change under, before it is answered with 503. A writer without pause changes
 * them under every second read or so: five reads refused one request of 270.
 */
const MAX_READS = 20

const unsettled = Effect.suspend(() =>
  Effect.die(new Unavailable({ cause: new Error(`Collections changed under each of ${MAX_READS} reads`) }))
)

/** A collection and what it holds, which comes and goes while the version stays: also by hand, as products are deleted. */
export const withProducts = ({ document, id, version }: CollectionRow, members: JsonText): Document<CollectionId> => ({
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

// The limit stands in a subquery: where the planner sees it, it reads a page in another way than where it is unknown, as
// it is to the plan that a connection keeps.
const selectHeads = (store: StoreId, { cursor, limit }: PageRequest<CollectionId>) => sql`
  select id, version, document::text as document from (
    select id, version, document, coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${PAGE_BYTES} as fits from collections
    where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
    window before as (order by id rows between unbounded preceding and 1 preceding)
    order by id limit (select ${limit}::integer)
  ) as page
  where fits order by id
`

/** Collections as they are stored, as many as a page has room for. */
export const makeHeads = ({ rows }: DatabaseOf) => {
  const headsOf = rows(Row)
  return (store: StoreId, request: PageRequest<CollectionId>): Effect.Effect<ReadonlyArray<CollectionRow>> =>
    headsOf(selectHeads(store, request))
}

export const selectHead = (store: StoreId, id: CollectionId) =>
  sql`select id, version, document::text as document from collections where store_id = ${store} and id = ${id}`

/** Reads of collections, each with the products that it holds. */
export const makeCollectionReads = (database: DatabaseOf) => {
  const { rows, rowsWithin } = database
  const headsOf = rows(Row)
  const headsBehind = makeHeads(database)
  const withMembersOf = rowsWithin(RowWithMembers)

  /**
   * Each collection with its products, from one statement and so from one moment: the first of them, and as many more as
   * a page has room and time for. The rules had to be read before the statement could be written, so it applies them
   * only to the versions they were read from: a collection that changed in between comes back without products and is
   * asked for again, by the rules that came with it, {@link MAX_READS} times at most. Rules that take too long are refused
   * when they are those of the first; behind it they are left for the next page.
   */
  const read = (
    store: StoreId,
    rows: ReadonlyArray<CollectionRow>,
    millis = RULES_MILLIS,
    reads = 1
  ): Effect.Effect<ReadonlyArray<Found>, RulesTooSlow> =>
    Effect.gen(function* () {
      const [first] = rows
      if (first === undefined) return []
      const known = decodeRead(rows.map(({ document }) => parse(document)))
      const queries: Array<string> = []
      const given = known.map(({ id, version, ...head }, index) => {
        const place = index + 1
        if (head.type !== "automated") return { place, id, version }
        const { filling, query } = automatedQuery(store, head)
        const shape = queries.includes(query) ? queries.indexOf(query) : queries.push(query) - 1
        return { place, id, version, shape, filling }
      })
      const select = withMembers(store, stringify(given), queries)
      const answer = yield* Effect.option(withMembersOf(select, queries.length === 0 ? undefined : millis))
      if (Option.isNone(answer)) {
        if (rows.length === 1) return yield* new RulesTooSlow({ collection: first.id })
        // If it was not the first that took so long, that one is done in the time of a page.
        return yield* read(store, [first], 2 * PAGE_MILLIS, reads)
      }
      const found = answer.value
      if (found.some(({ members }) => members === null)) {
        return reads === MAX_READS ? yield* unsettled : yield* read(store, found, RULES_MILLIS, reads + 1)
      }
      return found.map(({ isFollowed, members, ...row }) => ({
        document: withProducts(row, members ?? "{}"),
        isFollowed
      }))
    })

  const page = (
    store: StoreId,
    request: PageRequest<CollectionId>,
    reads = 1
  ): Effect.Effect<DocumentPage<CollectionId>, RulesTooSlow> =>
    Effect.gen(function* () {
      const rows = yield* headsBehind(store, request)
      const found = yield* read(store, rows)
      // All of them may have been deleted since, and others be left.
      if (found.length === 0 && rows.length > 0) {
        return reads === MAX_READS ? yield* unsettled : yield* page(store, request, reads + 1)
      }
      const last = found.at(-1)
      return {
        items: `[${found.map(({ document }) => document.json).join(",")}]`,
        nextCursor: last?.isFollowed ? last.document.id : null
      }
    })

  return {
    page: (store: StoreId, request: PageRequest<CollectionId>) => page(store, request),

    get: (store: StoreId, id: CollectionId): Effect.Effect<Option.Option<Document<CollectionId>>, RulesTooSlow> =>
      Effect.map(
        Effect.flatMap(headsOf(selectHead(store, id)), (rows) => read(store, rows)),
        ([found]) => Option.fromNullishOr(found?.document)
      )
  }
}

const insertRow = (store: StoreId, document: JsonText, version: number) => sql`
  insert into collections (store_id, document, bytes, bytes_of)
  values (${store}, ${document}, ${Buffer.byteLength(document)}, ${version})
`
const updateRow = (store: StoreId, id: CollectionId, document: JsonText, version: number) => sql`
  update collections set document = ${document}, bytes = ${Buffer.byteLength(document)}, bytes_of = ${version}
  where store_id = ${store} and id = ${id}
`

/** Inserts a collection, at once: its members are rows that name it. Answers its document. */
export const insertCollection = Effect.fnUntraced(function* (store: StoreId, head: CollectionHead): Step<JsonText> {
  const document = stringify(head)
  yield* countOf(insertRow(store, document, head.version))
  return document
})

export const updateCollection = Effect.fnUntraced(function* (store: StoreId, head: CollectionHead): Step<JsonText> {
  const document = stringify(head)
  yield* countOf(updateRow(store, head.id, document, head.version))
  return document
})

export const deleteCollection = (store: StoreId, id: CollectionId) =>
  sql`delete from collections where store_id = ${store} and id = ${id}`

const lockRow = (store: StoreId, id: CollectionId) => sql`
  with held as materialized (
    select id, version, document from collections where store_id = ${store} and id = ${id} for no key update
  )
  select id, version, document::text as document, change_clock(${store}) as clock from held
`
const lockedOf = firstOf(Schema.Struct({ ...Row.fields, clock: Schema.NumberFromString }))

/** A collection that nobody else changes until the transaction ends, with the time and an id for its event. */
export interface Held extends ChangeStamp {
  readonly head: CollectionHead
  readonly document: JsonText
}

export const lockCollection = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId
): Step<Option.Option<Held>> {
  const held = yield* lockedOf(lockRow(store, id))
  return Option.map(held, ({ clock, document }) => ({
    head: headOf(parse(document), id),
    document,
    ...stampOf(clock)
  }))
})

const Members = Schema.Struct({ members: Schema.String })
const membersOf = firstOf(Members)
const matchesOf = firstWithin(Members, RULES_MILLIS)

/** What a manual collection holds, as members of its JSON. */
export const membersIn = Effect.fnUntraced(function* (store: StoreId, id: CollectionId): Step<JsonText> {
  return Option.getOrThrow(yield* membersOf(selectMembers(store, id))).members
})

/** What the rules match now, as members of the JSON of the collection, which is null where it is yet to be made. */
export const matchesIn = Effect.fnUntraced(function* (
  store: StoreId,
  collection: CollectionId | null,
  rules: Rules
): Step<JsonText, RulesTooSlow> {
  const found = yield* matchesOf(selectMatches(store, rules))
  return Option.isSome(found) ? found.value.members : yield* new RulesTooSlow({ collection })
})

/** Makes a collection of so many members hold these products in this order, of which only `added` are not among them. */
export const setMembers = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  products: ReadonlyArray<ProductId>,
  added: ReadonlyArray<ProductId>,
  members: number
): Step<void> {
  const wanted = listOf(products)
  if (members + added.length > products.length) yield* countOf(removeOtherMembers(store, id, wanted))
  if (products.length > 0) yield* countOf(placeMembers(store, id, wanted, listOf(added)))
})

export const removeMembers = (store: StoreId, id: CollectionId) =>
  sql`delete from collection_members where store_id = ${store} and collection_id = ${id}`
