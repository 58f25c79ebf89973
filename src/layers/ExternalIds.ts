import type { ExternalId } from "../domain/Put.ts"
import type { StoreId } from "../domain/Store.ts"
import { type Statement, statement } from "./database/Statement.ts"
import { arrayOf } from "./Lists.ts"

/** What has external ids. */
export type Kind = "product" | "collection"

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
