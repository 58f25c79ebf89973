import { Effect, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { answerOf, type Step } from "../database/Plan.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { arrayOf } from "../Lists.ts"

/** What has external ids. */
export type Kind = "product" | "collection" | "order" | "customer"

const TABLES: Record<Kind, string> = {
  product: "products",
  collection: "collections",
  order: "orders",
  customer: "customers"
}

const insertAll = statement(`
  insert into external_ids (store_id, kind, external_id, resource_id)
  select $1, $2, external_id, resource_id from unnest($3::text[], $4::uuid[]) as given (external_id, resource_id)
`)

/** A resource, and what it is called elsewhere. */
export interface Named {
  readonly externalId: ExternalId
  readonly id: string
}

/** Remembers what resources are called that were just made. */
export const insertExternalIds = (store: StoreId, kind: Kind, named: ReadonlyArray<Named>): Statement =>
  insertAll(store, kind, arrayOf(named.map(({ externalId }) => externalId)), arrayOf(named.map(({ id }) => id)))

/**
 * A row for each external id: the id of what is remembered under it, else of what has no such name and is called so here,
 * as an export calls what came from nowhere else; null where there is nothing. Each is looked for by itself, as a join
 * could go through all of the store.
 */
export const namedBy = (kind: Kind, externalIds: string, ids: string): string => `
  unnest(${externalIds}::text[], ${ids}::uuid[]) as wanted (external_id, own_id), lateral (
    select coalesce(
      (select n.resource_id from external_ids n
        where n.store_id = $1 and n.kind = '${kind}' and n.external_id = wanted.external_id),
      (select r.id from ${TABLES[kind]} r where r.store_id = $1 and r.id = wanted.own_id
        and not exists (select from external_ids n where n.store_id = $1 and n.resource_id = r.id))
    ) as id offset 0
  ) as named
`

/** External ids, and those of them that may be ids of our own, as {@link namedBy} takes them. */
export const wantedOf = (externalIds: ReadonlyArray<string>) =>
  [arrayOf(externalIds), arrayOf(externalIds.map((id) => (isUuid(id) ? id : null)))] as const

const selectResources = (kind: Kind) =>
  statement(`
    select wanted.external_id as "externalId", named.id from ${namedBy(kind, "$2", "$3")} where named.id is not null
  `)
const SELECT_RESOURCES: Record<Kind, ReturnType<typeof statement>> = {
  product: selectResources("product"),
  collection: selectResources("collection"),
  order: selectResources("order"),
  customer: selectResources("customer")
}
const decodeResources = compileTrustedDecoder(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.String }))
)

/** Of these external ids those of which there is a resource, each with the id that it has here. */
export const resourcesOf = Effect.fnUntraced(function* (
  store: StoreId,
  kind: Kind,
  externalIds: ReadonlyArray<string>
): Step<ReadonlyMap<string, string>> {
  const { rows } = yield* answerOf(SELECT_RESOURCES[kind](store, ...wantedOf(externalIds)))
  return new Map(decodeResources(rows).map(({ externalId, id }) => [externalId, id]))
})
