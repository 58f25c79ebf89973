import { Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import type { ExportKind } from "../../domain/exports/Exports.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { BYTES } from "../catalog/Sizes.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { pageRows } from "../Pages.ts"
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

/** What a resource is called elsewhere, else its id. */
const nameOf = (id: string) =>
  `coalesce((select e.external_id from external_ids e where e.store_id = $1 and e.resource_id = ${id}), ${id}::text)`

/** What a manual collection holds, in order. */
const MEMBERS = `
  case document ->> 'type' when 'manual' then (
    select '{"productIds":[' || coalesce(string_agg(to_json(${nameOf("m.product_id")})::text, ',' order by m.position), '')
      || '],"productCount":' || count(*) || '}'
    from collection_members m where m.store_id = $1 and m.collection_id = page.id
  ) end
`

/** Whom and what an order refers to. */
const REFERENCES = `(
  with parsed as materialized (select (${DOCUMENT})::json as document)
  select coalesce(json_object_agg(reference, ${nameOf("reference")})::text, '{}') from (
    select (document ->> 'customerId')::uuid from parsed
    union select (line ->> 'productId')::uuid from parsed, json_array_elements(document -> 'lineItems') as line
  ) as referred (reference) where reference is not null
)`

interface Shape {
  readonly columns: string
  readonly bytes: string
  readonly document?: string
  readonly rest?: string
  readonly names?: string
}

const measured = { columns: "document, version, bytes, bytes_of", bytes: BYTES }
const personal = {
  columns: "opening, personal, bytes, personal_bytes",
  bytes: "bytes + personal_bytes",
  document: DOCUMENT,
  rest: PERSONAL
}

const select = (table: ExportKind, { document = "document::text", names = "null", rest = "null", ...shape }: Shape) =>
  statement(`
    select id, ${nameOf("id")} as "externalId", ${document} as document, ${rest} as rest, ${names} as names
    from (${pageRows({ ...shape, rows: `${table} where store_id = $1 and id > $4` })}) as page
    where fits order by id
  `)

/** The rows of a page of a kind: store, how many, bytes, and the id that they come after. */
export const SELECT: Record<ExportKind, (...values: ReadonlyArray<unknown>) => Statement> = {
  products: select("products", measured),
  collections: select("collections", { ...measured, rest: MEMBERS }),
  orders: select("orders", { ...personal, names: REFERENCES }),
  customers: select("customers", personal)
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
