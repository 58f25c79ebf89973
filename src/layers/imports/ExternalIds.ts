import { Effect, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { answerOf, type Step } from "../sql/Plan.ts"
import { type Fragment, sql, type Statement } from "../sql/Statement.ts"
import { arrayOf } from "../Lists.ts"

/** What has external ids. */
export type Kind = "product" | "collection" | "order" | "customer"

const TABLES: Record<Kind, string> = {
  product: "products",
  collection: "collections",
  order: "orders",
  customer: "customers"
}

const insertAll = (store: StoreId, kind: Kind, externalIds: string, ids: string) => sql`
  insert into external_ids (store_id, kind, external_id, resource_id)
  select ${store}, ${kind}, external_id, resource_id
  from unnest(${externalIds}::text[], ${ids}::uuid[]) as given (external_id, resource_id)
`

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
export const namedBy = (store: StoreId, kind: Kind, externalIds: ReadonlyArray<string>): Fragment => {
  const ownIds = externalIds.map((id) => (isUuid(id) ? id : null))
  return sql`
    unnest(${arrayOf(externalIds)}::text[], ${arrayOf(ownIds)}::uuid[]) as wanted (external_id, own_id), lateral (
      select coalesce(
        (select n.resource_id from external_ids n
          where n.store_id = ${store} and n.kind = '${sql.literal(kind)}' and n.external_id = wanted.external_id),
        (select r.id from ${sql(TABLES[kind])} r where r.store_id = ${store} and r.id = wanted.own_id
          and not exists (select from external_ids n where n.store_id = ${store} and n.resource_id = r.id))
      ) as id offset 0
    ) as named
  `
}

const selectResources = (store: StoreId, kind: Kind, externalIds: ReadonlyArray<string>) => sql`
  select wanted.external_id as "externalId", named.id from ${namedBy(store, kind, externalIds)}
  where named.id is not null
`
const decodeResources = compileTrustedDecoder(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.String }))
)

/** Of these external ids those of which there is a resource, each with the id that it has here. */
export const resourcesOf = Effect.fnUntraced(function* (
  store: StoreId,
  kind: Kind,
  externalIds: ReadonlyArray<string>
): Step<ReadonlyMap<string, string>> {
  const { rows } = yield* answerOf(selectResources(store, kind, externalIds))
  return new Map(decodeResources(rows).map(({ externalId, id }) => [externalId, id]))
})
