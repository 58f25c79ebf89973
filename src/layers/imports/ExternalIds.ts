import { Schema } from "effect"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { answerOf, type Steps } from "../database/Plan.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { arrayOf } from "../Lists.ts"

/** What has external ids. */
export type Kind = "product" | "collection" | "order" | "customer"

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

const selectResources = statement(`
  select wanted as "externalId", resource_id as id
  from unnest($3::text[]) as wanted, lateral (
    select resource_id from external_ids where store_id = $1 and kind = $2 and external_id = wanted offset 0
  ) as named
`)
const decodeResources = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.String }))
)

/** Of these external ids those that are known, each with the id that the resource has here. */
export function* resourcesOf(
  store: StoreId,
  kind: Kind,
  externalIds: ReadonlyArray<string>
): Steps<ReadonlyMap<string, string>> {
  const { rows } = yield* answerOf(selectResources(store, kind, arrayOf(externalIds)))
  return new Map(decodeResources(rows).map(({ externalId, id }) => [externalId, id]))
}
