import { Schema } from "effect"
import { CollectionDocument, ProductDocument } from "../../domain/catalog/Documents.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { CustomerDocument, OrderDocument } from "../../domain/records/Documents.ts"
import type { StoreId } from "../../domain/Store.ts"
import { COLLECTION_TEXT, DOCUMENT_BYTES, PRODUCT_TEXT } from "../catalog/Columns.ts"
import { DOCUMENT } from "../records/Records.ts"
import { completeMarked, type DocumentText, documentText } from "../sql/Documents.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

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

/** Rows of a store that match conditions. These refer to the columns of `table` by `name`. */
export interface RowFilter {
  readonly table: Fragment
  readonly name: Fragment
  readonly conditions: ReadonlyArray<Fragment>
}

/** A page: at most `limit` rows after the id `after`; the last one starts within `bytes`. */
interface ExportPage {
  readonly store: StoreId
  readonly filter: RowFilter
  readonly after: string
  readonly limit: number
  readonly bytes: number
}

/** Id of a resource in the export: its external id, else its own. */
const exportedId = (store: StoreId, id: string): Fragment => sql`
  coalesce(
    (select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = ${sql.literal(id)}),
    ${sql.literal(id)}::text
  )
`

const and = sql.join(" and ", false)

/** Selects the rows after an id. Filtered ones are tested in order of id, so that the pages together read each row once. */
const following = ({ after, filter: { conditions, name, table }, store }: ExportPage): Fragment => {
  const rows = sql`${table} where store_id = ${store}::uuid and id > ${after}::uuid`
  return conditions.length === 0
    ? rows
    : sql`(select * from ${rows} order by id offset 0) as ${name} where ${and(conditions)}`
}

const selectRows = (
  read: { readonly columns: Fragment; readonly size: Fragment },
  members: Fragment,
  page: ExportPage
): Fragment => sql`
  select id, ${exportedId(page.store, "page.id")} as "externalId", ${members}
  from (
    select id, ${read.columns},
      count(*) over before < ${page.limit} and coalesce(sum(${read.size}) over before, 0) < ${page.bytes} as fits
    from ${following(page)}
    window before as (order by id rows between unbounded preceding and 1 preceding)
    order by id limit ${page.limit} + 1
  ) as page
  where fits order by id
`

const RESOURCE = { columns: sql`document, schema_hash`, size: DOCUMENT_BYTES }
const RECORD = { columns: sql`opening, personal, schema_hash`, size: sql`bytes + personal_bytes` }

/** Text of an exported record, with its personal members. */
const recordText = (document: DocumentText): Fragment => documentText(document, sql`opening || personal`)

/** Queries of the rows of a page by kind. */
export const SELECT_ROWS: Record<DataKind, (page: ExportPage) => Fragment> = {
  products: (page) => selectRows(RESOURCE, sql`${PRODUCT_TEXT} as document, null as rest, null as "externalIds"`, page),

  collections: (page) =>
    selectRows(
      RESOURCE,
      sql`
        ${COLLECTION_TEXT} as document, null as "externalIds",
        case document ->> 'type' when 'manual' then (
          select
            '{"productIds":[' || coalesce(
              string_agg(to_json(${exportedId(page.store, "m.product_id")})::text, ',' order by m.position), ''
            ) || '],"productCount":' || count(*) || '}'
          from collection_members m where m.store_id = ${page.store} and m.collection_id = page.id
        ) end as rest
      `,
      page
    ),

  orders: (page) =>
    selectRows(
      RECORD,
      sql`
        ${recordText(OrderDocument)} as document, null as rest, (
          with parsed as materialized (select (${sql.literal(DOCUMENT)})::json as document)
          select coalesce(json_object_agg(reference, ${exportedId(page.store, "reference")})::text, '{}')
          from (
            select (document ->> 'customerId')::uuid from parsed
            union
            select (line ->> 'productId')::uuid from parsed, json_array_elements(document -> 'lineItems') as line
          ) as referred (reference) where reference is not null
        ) as "externalIds"
      `,
      page
    ),

  customers: (page) =>
    selectRows(RECORD, sql`${recordText(CustomerDocument)} as document, null as rest, null as "externalIds"`, page)
}

/** Replaces the ids of customer and products in an order by external ids. */
const withExternalIds = (document: JsonText, externalIds: Readonly<Record<string, string>>): JsonText => {
  const { customerId, lineItems, ...order } = OrderDocument.parse(document)
  return JSON.stringify({
    ...order,
    ...(customerId === null ? {} : { customerExternalId: externalIds[customerId] }),
    lineItems: lineItems.map(({ productId, ...line }) => ({
      ...line,
      ...(productId === null ? {} : { productExternalId: externalIds[productId] })
    }))
  })
}

const DOCUMENTS: Record<DataKind, DocumentText> = {
  products: ProductDocument,
  collections: CollectionDocument,
  orders: OrderDocument,
  customers: CustomerDocument
}

/** Returns the line of a resource, without a line break. */
export const lineOf = (kind: DataKind, { document: text, externalId, externalIds, rest }: Row): string => {
  const document = completeMarked(DOCUMENTS[kind], text)
  const resource = externalIds === null ? document : withExternalIds(document, externalIds)
  const json = rest === null ? resource : extend(resource, rest)
  return `{"externalId":${JSON.stringify(externalId)},${json.slice(1)}`
}
