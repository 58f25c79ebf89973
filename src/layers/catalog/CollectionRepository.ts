import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { CollectionDocument } from "../../domain/catalog/Documents.ts"
import { type CollectionHead, CollectionId, RULES_SECONDS, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { type CatalogRequest, isFiltered } from "../../domain/catalog/ListFilter.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { type Document, extend, type JsonText } from "../../domain/json/Document.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import { StoreId } from "../../domain/Store.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { CompletedText } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant, type Statement } from "../sql/Statement.ts"
import { withStatementTimeout } from "../sql/Transaction.ts"
import { candidatesOf } from "./Candidates.ts"
import { type ChangeStamp, stampOf } from "../../domain/catalog/ProductState.ts"
import { traced } from "../telemetry/Traced.ts"
import { deleteOtherMembers, placeMembers, type Rules, selectMatches, selectMembers } from "./CollectionMembers.ts"
import { COLLECTION_TEXT, DOCUMENT_BYTES } from "./Columns.ts"

export const CollectionRow = Schema.Struct({
  id: Schema.toType(CollectionId),
  version: Schema.Int,
  document: CompletedText(CollectionDocument)
})
export type CollectionRow = typeof CollectionRow.Type

/** Decodes the members of a collection in the journal, which contain its products too. */
export const headOf = (members: JsonObject): CollectionHead =>
  CollectionDocument.decode(Struct.omit(members, ["productIds", "productCount"]))

const SCHEMA_HASH = constant(CollectionDocument.schemaHash)

/** Milliseconds that applying rules may take. */
export const RulesTimeout = Context.Reference("layers/catalog/RulesTimeout", {
  defaultValue: () => RULES_SECONDS * 1000
})

/** Adds members to a collection. They change without a new version: products change and are deleted. */
export const withMembers = ({ document, id, version }: CollectionRow, members: JsonText): Document<CollectionId> => ({
  id,
  version,
  json: extend(document, members),
  computed: members
})

/** A collection that no other transaction can change until this one ends, with the stamp of its next change. */
export interface LockedCollection extends ChangeStamp {
  readonly head: CollectionHead
  readonly document: JsonText
}

const Key = Schema.Struct({ store: StoreId, id: CollectionId })

const decodeMembersRow = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ members: Schema.String })]))

/** Decodes the only row of a statement that selects `members`. */
const membersOf = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeMembersRow(rows), ([{ members }]): JsonText => members)

/** Queries of collections, without permissions and events. `CollectionReads.ts` has those that apply rules. */
export class CollectionRepository extends Context.Service<CollectionRepository>()(
  "layers/catalog/CollectionRepository",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { journalDays } = yield* OperatorLimits

      const findRow = SqlSchema.findOneOption({
        Request: Key,
        Result: CollectionRow,
        execute: ({ id, store }) => sql`
      select id, version, ${COLLECTION_TEXT} as document from collections where store_id = ${store} and id = ${id}
    `
      })

      const listRows = SqlSchema.findAll({
        Request: Schema.Struct({ store: StoreId, cursor: Schema.UndefinedOr(CollectionId), limit: Schema.Int }),
        Result: CollectionRow,
        // The limit is in a scalar subquery, which hides it from the planner, so that PostgreSQL keeps the generic plan.
        execute: ({ cursor, limit, store }) => sql`
      select id, version, ${COLLECTION_TEXT} as document from (
        select id, version, document, schema_hash, coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${PAGE_BYTES} as fits
        from collections
        where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
        window before as (order by id rows between unbounded preceding and 1 preceding)
        order by id limit (select ${limit}::integer)
      ) as page
      where fits order by id
    `
      })

      const readFilteredRows = rowsReader(CollectionRow)

      const selectFilteredRows = (store: StoreId, request: CatalogRequest<CollectionId>) => {
        const { definitions, hasId, hasTime } = candidatesOf("collection", store, request, journalDays)
        return sql`
      with ${definitions}
      select id, version, ${COLLECTION_TEXT} as document from (
        select candidate.id, found.version, found.document, found.schema_hash, coalesce(sum(found.bytes) over before, 0) < ${PAGE_BYTES} as fits
        from (select id from candidates where ${hasId} order by id) as candidate, lateral (
          select version, document, schema_hash, ${DOCUMENT_BYTES} as bytes from collections c
          where c.store_id = ${store} and c.id = candidate.id and ${hasTime} offset 0
        ) as found
        window before as (order by candidate.id rows between unbounded preceding and 1 preceding)
        order by candidate.id limit ${request.limit}
      ) as page
      where fits order by id
    `
      }

      const lockRow = SqlSchema.findOneOption({
        Request: Key,
        Result: Schema.Struct({ document: Schema.String, clock: Schema.NumberFromString }),
        execute: ({ id, store }) => sql`
      with locked as materialized (
        select document from collections where store_id = ${store} and id = ${id} for no key update
      )
      select document::text as document, change_clock(${store}) as clock from locked
    `
      })

      return {
        findHead: traced("CollectionRepository.findHead")(
          (store: StoreId, id: CollectionId) => findRow({ store, id }),
          orDefect
        ),

        /** Lists collections without members, up to {@link PAGE_BYTES}. */
        listHeads: traced("CollectionRepository.listHeads")(
          (store: StoreId, request: CatalogRequest<CollectionId>) =>
            isFiltered(request)
              ? readFilteredRows(selectFilteredRows(store, request))
              : listRows({ store, cursor: request.cursor, limit: request.limit }),
          orDefect
        ),

        lock: traced("CollectionRepository.lock")(function* (store: StoreId, id: CollectionId) {
          const row = yield* lockRow({ store, id })
          return Option.map(row, ({ clock, document }): LockedCollection => ({
            head: CollectionDocument.parse(document),
            document,
            ...stampOf(clock)
          }))
        }, orDefect),

        /** Inserts a collection at once, because its members refer to it. Returns its document. */
        insert: traced("CollectionRepository.insert")(function* (store: StoreId, head: CollectionHead) {
          const document = CollectionDocument.stringify(head)
          yield* sql`
        insert into collections (store_id, document, schema_hash, bytes, bytes_of)
        values (${store}, ${document}, ${SCHEMA_HASH}, ${Buffer.byteLength(document)}, ${head.version})
      `
          return document
        }, orDefect),

        update: traced("CollectionRepository.update")(function* (store: StoreId, head: CollectionHead) {
          const document = CollectionDocument.stringify(head)
          yield* sql`
        update collections set document = ${document}, schema_hash = ${SCHEMA_HASH}, bytes = ${Buffer.byteLength(document)}, bytes_of = ${head.version}
        where store_id = ${store} and id = ${head.id}
      `
          return document
        }, orDefect),

        /** Makes the statement that deletes a collection. */
        deleteStatement: (store: StoreId, id: CollectionId): Statement =>
          sql`delete from collections where store_id = ${store} and id = ${id}`,

        /** Returns the members of a manual collection, as members of its JSON. */
        findMembers: traced("CollectionRepository.findMembers")(
          (store: StoreId, id: CollectionId) => Effect.flatMap(selectMembers(sql, store, id), membersOf),
          orDefect
        ),

        /** Returns the products that match the rules, as members of the JSON of a collection; null if it is a new one. */
        findMatches: traced("CollectionRepository.findMatches")(function* (
          store: StoreId,
          collection: CollectionId | null,
          rules: Rules
        ) {
          const rows = yield* withStatementTimeout(sql, yield* RulesTimeout, selectMatches(sql, store, rules))
          return Option.isSome(rows) ? yield* membersOf(rows.value) : yield* new RulesTooSlow({ collection })
        }, orDefect),

        /**
         * Makes a manual collection contain these products in this order. `added` are those that are not members yet, `count`
         * is the number of members before.
         */
        setMembers: traced("CollectionRepository.setMembers")(function* (
          store: StoreId,
          id: CollectionId,
          products: ReadonlyArray<ProductId>,
          added: ReadonlyArray<ProductId>,
          count: number
        ) {
          const members = plainArray(products)
          if (count + added.length > products.length) yield* deleteOtherMembers(sql, store, id, members)
          if (products.length > 0) yield* placeMembers(sql, store, id, members, plainArray(added))
        }, orDefect),

        deleteMembers: traced("CollectionRepository.deleteMembers")(
          (store: StoreId, id: CollectionId) =>
            Effect.asVoid(sql`delete from collection_members where store_id = ${store} and collection_id = ${id}`),
          orDefect
        )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
