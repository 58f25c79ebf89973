import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import type { ExportKind } from "../../domain/exports/Exports.ts"
import type { StoreId } from "../../domain/Store.ts"
import { DOCUMENT_BYTES } from "../catalog/Columns.ts"
import { DOCUMENT, PERSONAL } from "../records/Records.ts"

export const Row = Schema.Struct({
  id: Schema.String,
  externalId: Schema.String,
  document: Schema.String,
  /** Further members of the document, as JSON. */
  rest: Schema.NullOr(Schema.String),
  /** External ids of the ids in the document. */
  externalIds: Schema.NullOr(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))
})
export type Row = typeof Row.Type

/** A page: at most `limit` rows after the id `after`; the last one starts within `bytes`. */
interface ExportPage {
  readonly store: StoreId
  readonly after: string
  readonly limit: number
  readonly bytes: number
}

type ExportQuery = (page: ExportPage) => Statement.Statement<unknown>

/** Makes the queries of all kinds. A resource without an external id is exported with its id as external id. */
export const makeExportQueries = (sql: SqlClient.SqlClient): Record<ExportKind, ExportQuery> => ({
  products: ({ after, bytes, limit, store }) => sql`
    select id, document::text as document, null as rest, null as "externalIds",
      coalesce(
        (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = page.id), id::text
      ) as "externalId"
    from (
      select id, document,
        count(*) over before < ${limit} and coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${bytes} as fits
      from products where store_id = ${store} and id > ${after}
      window before as (order by id rows between unbounded preceding and 1 preceding)
      order by id limit ${limit} + 1
    ) as page
    where fits order by id
  `,

  collections: ({ after, bytes, limit, store }) => sql`
    select id, document::text as document, null as "externalIds",
      coalesce(
        (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = page.id), id::text
      ) as "externalId",
      case document ->> 'type' when 'manual' then (
        select
          '{"productIds":[' || coalesce(string_agg(to_json(coalesce(
            (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = m.product_id),
            m.product_id::text
          ))::text, ',' order by m.position), '') || '],"productCount":' || count(*) || '}'
        from collection_members m where m.store_id = ${store} and m.collection_id = page.id
      ) end as rest
    from (
      select id, document,
        count(*) over before < ${limit} and coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${bytes} as fits
      from collections where store_id = ${store} and id > ${after}
      window before as (order by id rows between unbounded preceding and 1 preceding)
      order by id limit ${limit} + 1
    ) as page
    where fits order by id
  `,

  orders: ({ after, bytes, limit, store }) => sql`
    select id, ${sql.literal(DOCUMENT)} as document, ${sql.literal(PERSONAL)} as rest,
      coalesce(
        (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = page.id), id::text
      ) as "externalId",
      (
        with parsed as materialized (select (${sql.literal(DOCUMENT)})::json as document)
        select coalesce(json_object_agg(reference, coalesce(
          (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = reference),
          reference::text
        ))::text, '{}')
        from (
          select (document ->> 'customerId')::uuid from parsed
          union
          select (line ->> 'productId')::uuid from parsed, json_array_elements(document -> 'lineItems') as line
        ) as referred (reference) where reference is not null
      ) as "externalIds"
    from (
      select id, opening, personal,
        count(*) over before < ${limit} and coalesce(sum(bytes + personal_bytes) over before, 0) < ${bytes} as fits
      from orders where store_id = ${store} and id > ${after}
      window before as (order by id rows between unbounded preceding and 1 preceding)
      order by id limit ${limit} + 1
    ) as page
    where fits order by id
  `,

  customers: ({ after, bytes, limit, store }) => sql`
    select id, ${sql.literal(DOCUMENT)} as document, ${sql.literal(PERSONAL)} as rest, null as "externalIds",
      coalesce(
        (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = page.id), id::text
      ) as "externalId"
    from (
      select id, opening, personal,
        count(*) over before < ${limit} and coalesce(sum(bytes + personal_bytes) over before, 0) < ${bytes} as fits
      from customers where store_id = ${store} and id > ${after}
      window before as (order by id rows between unbounded preceding and 1 preceding)
      order by id limit ${limit} + 1
    ) as page
    where fits order by id
  `
})

const Id = Schema.NullOr(Schema.String)
const rest = [Schema.Record(Schema.String, Schema.Unknown)] as const
const Line = Schema.StructWithRest(Schema.Struct({ productId: Id }), rest)
const decodeOrder = Schema.decodeUnknownSync(
  Schema.StructWithRest(Schema.Struct({ customerId: Id, lineItems: Schema.Array(Line) }), rest)
)

/** Replaces the ids of customer and products in an order by external ids. */
const withExternalIds = (document: JsonText, externalIds: Readonly<Record<string, string>>): JsonText => {
  const { customerId, lineItems, ...order } = decodeOrder(JSON.parse(document))
  return JSON.stringify({
    ...order,
    ...(customerId === null ? {} : { customerExternalId: externalIds[customerId] }),
    lineItems: lineItems.map(({ productId, ...line }) => ({
      ...line,
      ...(productId === null ? {} : { productExternalId: externalIds[productId] })
    }))
  })
}

/** Returns the line of a resource, without a line break. */
export const lineOf = ({ document, externalId, externalIds, rest }: Row): string => {
  const resource = externalIds === null ? document : withExternalIds(document, externalIds)
  const json = rest === null ? resource : extend(resource, rest)
  return `{"externalId":${JSON.stringify(externalId)},${json.slice(1)}`
}
