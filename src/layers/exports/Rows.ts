import { Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import type { ExportKind } from "../../domain/exports/Exports.ts"
import { parse, stringify } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { DOCUMENT_BYTES } from "../catalog/Columns.ts"
import { type Fragment, sql, type Statement } from "../sql/Statement.ts"
import { DOCUMENT, PERSONAL } from "../records/Records.ts"

/*
 * A resource as a line of an export. In SQL stays what only the database knows: what resources are called elsewhere.
 */

export const Row = Schema.Struct({
  id: Schema.String,
  externalId: Schema.String,
  document: Schema.String,
  /** Further members of the document, as JSON. */
  rest: Schema.NullOr(Schema.String),
  /** Of the ids that the document refers to, what they are called elsewhere. */
  names: Schema.NullOr(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))
})
type Row = typeof Row.Type

/** The external id of a resource, else its id. */
const nameOf = (store: StoreId, id: Fragment) => sql`
  coalesce((select e.external_id from external_ids e where e.store_id = ${store} and e.resource_id = ${id}),
    ${id}::text)
`

/** The members of a manual collection, in order. */
const membersOf = (store: StoreId) => sql`
  case document ->> 'type' when 'manual' then (
    select
      '{"productIds":['
        || coalesce(string_agg(to_json(${nameOf(store, sql`m.product_id`)})::text, ',' order by m.position), '')
        || '],"productCount":' || count(*) || '}'
    from collection_members m where m.store_id = ${store} and m.collection_id = page.id
  ) end
`

/** The customer and the products of an order, by id. */
const referencesOf = (store: StoreId) => sql`(
  with parsed as materialized (select (${sql.literal(DOCUMENT)})::json as document)
  select coalesce(json_object_agg(reference, ${nameOf(store, sql`reference`)})::text, '{}') from (
    select (document ->> 'customerId')::uuid from parsed
    union select (line ->> 'productId')::uuid from parsed, json_array_elements(document -> 'lineItems') as line
  ) as referred (reference) where reference is not null
)`

/** A page of a kind: at most `limit` rows behind the id `after`, and as many as begin within `bytes`. */
interface Asked {
  readonly store: StoreId
  readonly after: string
  readonly limit: number
  readonly bytes: number
}

interface Shape {
  readonly columns: Fragment
  readonly bytes: Fragment
  readonly document: Fragment
  readonly rest?: Fragment
  readonly names?: Fragment
}

const measured = {
  columns: sql`document, version, bytes, bytes_of`,
  bytes: DOCUMENT_BYTES,
  document: sql`document::text`
}
const personal = {
  columns: sql`opening, personal, bytes, personal_bytes`,
  bytes: sql`bytes + personal_bytes`,
  document: sql.literal(DOCUMENT),
  rest: sql.literal(PERSONAL)
}

const select = (table: ExportKind, { after, bytes, limit, store }: Asked, shape: Shape) => sql`
  select id, ${nameOf(store, sql`id`)} as "externalId", ${shape.document} as document,
    ${shape.rest ?? sql`null`} as rest, ${shape.names ?? sql`null`} as names
  from (
    select id, ${shape.columns},
      count(*) over before < ${limit} and coalesce(sum(${shape.bytes}) over before, 0) < ${bytes} as fits
    from ${sql(table)} where store_id = ${store} and id > ${after}
    window before as (order by id rows between unbounded preceding and 1 preceding)
    order by id limit ${limit} + 1
  ) as page
  where fits order by id
`

export const SELECT: Record<ExportKind, (asked: Asked) => Statement> = {
  products: (asked) => select("products", asked, measured),
  collections: (asked) => select("collections", asked, { ...measured, rest: membersOf(asked.store) }),
  orders: (asked) => select("orders", asked, { ...personal, names: referencesOf(asked.store) }),
  customers: (asked) => select("customers", asked, personal)
}

const Id = Schema.NullOr(Schema.String)
const rest = [Schema.Record(Schema.String, Schema.Unknown)] as const
const Line = Schema.StructWithRest(Schema.Struct({ productId: Id }), rest)
const decodeOrder = compileTrustedDecoder(
  Schema.StructWithRest(Schema.Struct({ customerId: Id, lineItems: Schema.Array(Line) }), rest)
)

/** An order that names its customer and products as they are called elsewhere, and not by ids of this store. */
const renamed = (document: JsonText, names: Readonly<Record<string, string>>): JsonText => {
  const { customerId, lineItems, ...order } = decodeOrder(parse(document))
  return stringify({
    ...order,
    ...(customerId === null ? {} : { customerExternalId: names[customerId] }),
    lineItems: lineItems.map(({ productId, ...line }) => ({
      ...line,
      ...(productId === null ? {} : { productExternalId: names[productId] })
    }))
  })
}

/** The line of a resource, without its end. */
export const lineOf = ({ document, externalId, names, rest }: Row): string => {
  const own = names === null ? document : renamed(document, names)
  const whole = rest === null ? own : extend(own, rest)
  return `{"externalId":${JSON.stringify(externalId)},${whole.slice(1)}`
}
