import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import type { StoreId } from "../../domain/Store.ts"
import {
  MAX_VIEWS,
  View,
  type ViewId,
  type ViewInput,
  ViewLimitReached,
  ViewNameTaken,
  ViewNotFound,
  Views
} from "../../domain/views/Views.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson, requiredRowReader } from "../sql/Rows.ts"
import { time } from "../sql/Times.ts"
import { rowCount } from "../sql/Transaction.ts"

const readJson = requiredRowReader(Schema.Struct({ json: Schema.String }))
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int, isNameTaken: Schema.Boolean }))

const [OfProducts, OfCollections, OfOrders, OfCustomers] = View.members

/** Stored form of the query of a view. The columns of the view may be fields that a later release added. */
export const ViewDocument = storedDocument(
  Schema.Union([
    OfProducts.mapFields(Struct.omit(["columns"])),
    OfCollections.mapFields(Struct.omit(["columns"])),
    OfOrders.mapFields(Struct.omit(["columns"])),
    OfCustomers.mapFields(Struct.omit(["columns"]))
  ])
)

/** Returns the owner of a private view; null for a shared one. */
const ownerOf = (member: MerchantId, { isShared }: ViewInput) => (isShared ? null : member)

export const ViewsLive = Layer.effect(
  Views,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockStore } = yield* StoreAllocation

    const document = sql`
      json_build_object(
        'id', id, 'resource', resource, 'name', name, 'query', query, 'columns', columns,
        'isShared', owner_id is null, 'createdAt', ${time("created_at")}, 'updatedAt', ${time("updated_at")}
      )::text
    `

    const visibleTo = (store: StoreId, member: MerchantId) =>
      sql`store_id = ${store} and (owner_id is null or owner_id = ${member})`

    /** Counts the views of the store, and compares names. Runs under the lock of the store. */
    const count = (store: StoreId, member: MerchantId, view: ViewInput, id: ViewId | null) =>
      readCount(sql`
        select count(*)::integer as count, coalesce(bool_or(
          resource = ${view.resource} and lower(name) = lower(${view.name})
          and owner_id is not distinct from ${ownerOf(member, view)}::uuid and id is distinct from ${id}::uuid
        ), false) as "isNameTaken"
        from views where store_id = ${store}
      `)

    const find = Effect.fnUntraced(function* (store: StoreId, member: MerchantId, id: ViewId) {
      const json = yield* findJson(
        sql`select ${document} as json from views where ${visibleTo(store, member)} and id = ${id}`
      )
      return Option.isSome(json) ? json.value : yield* new ViewNotFound({ id })
    })

    return Views.of({
      list: Effect.fn("Views.list")(function* (store, member, resource) {
        const ofResource = resource === undefined ? sql`true` : sql`resource = ${resource}`
        const { json } = yield* readJson(sql`
          select '[' || coalesce(string_agg(${document}, ',' order by lower(name) collate "C", id), '') || ']' as json
          from views where ${visibleTo(store, member)} and ${ofResource}
        `)
        return json
      }, orDefect),

      get: Effect.fn("Views.get")(function* (store, member, id) {
        return ViewDocument.parse(yield* find(store, member, id))
      }, orDefect),

      create: Effect.fn("Views.create")(function* (store, member, view) {
        yield* lockStore(store)
        const counted = yield* count(store, member, view, null)
        if (counted.count >= MAX_VIEWS) return yield* new ViewLimitReached()
        if (counted.isNameTaken) return yield* new ViewNameTaken({ name: view.name })
        const { json } = yield* readJson(sql`
          insert into views (store_id, id, owner_id, resource, name, query, columns)
          values (
            ${store}, uuid_v7(clock_micros()), ${ownerOf(member, view)}, ${view.resource}, ${view.name},
            ${JSON.stringify(view.query)}::text::json, ${textArray(view.columns)}::text[]
          ) returning ${document} as json
        `)
        return json
      }, orDefect),

      update: Effect.fn("Views.update")(function* (store, member, id, view) {
        yield* lockStore(store)
        yield* find(store, member, id)
        if ((yield* count(store, member, view, id)).isNameTaken) return yield* new ViewNameTaken({ name: view.name })
        const { json } = yield* readJson(sql`
          update views set
            owner_id = ${ownerOf(member, view)}, resource = ${view.resource}, name = ${view.name},
            query = ${JSON.stringify(view.query)}::text::json, columns = ${textArray(view.columns)}::text[],
            updated_at = statement_timestamp()
          where store_id = ${store} and id = ${id} returning ${document} as json
        `)
        return json
      }, orDefect),

      delete: Effect.fn("Views.delete")(function* (store, member, id) {
        const deleted = yield* rowCount(sql`delete from views where ${visibleTo(store, member)} and id = ${id}`)
        if (deleted === 0) return yield* new ViewNotFound({ id })
      }, orDefect)
    })
  })
)
