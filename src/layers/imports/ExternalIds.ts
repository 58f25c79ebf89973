import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { type Fragment, sql as fragment, type Statement } from "../sql/Statement.ts"

/** Resource kinds with external ids. */
export type ExternalIdKind = "product" | "collection" | "order" | "customer"

const TABLES: Record<ExternalIdKind, string> = {
  product: "products",
  collection: "collections",
  order: "orders",
  customer: "customers"
}

/** A resource and its id in the system that it was imported from. */
export interface ExternalIdEntry {
  readonly externalId: string
  readonly id: string
}

/**
 * Makes a `from` clause with a row for each external id: `requested.external_id` and `resolved.id`. The latter is the
 * resource with this external id, else the resource without one whose own id it is (exports use that id), else null. Each
 * is looked up on its own, as a join could read the whole store.
 */
export const resolveExternalIds = (
  store: string,
  kind: ExternalIdKind,
  externalIds: ReadonlyArray<string>
): Fragment => {
  const ids = externalIds.map((id) => (isUuid(id) ? id : null))
  return fragment`
    unnest(${textArray(externalIds)}::text[], ${textArray(ids)}::uuid[]) as requested (external_id, id), lateral (
      select coalesce(
        (select n.resource_id from external_ids n
          where n.store_id = ${store} and n.kind = '${fragment.literal(kind)}'
            and n.external_id = requested.external_id),
        (select r.id from ${fragment(TABLES[kind])} r where r.store_id = ${store} and r.id = requested.id
          and not exists (select from external_ids n where n.store_id = ${store} and n.resource_id = r.id))
      ) as id offset 0
    ) as resolved
  `
}

const readEntries = rowsReader(Schema.Struct({ externalId: Schema.String, id: Schema.String }))

/** External ids of resources: their ids in the system that they were imported from. */
export class ExternalIds extends Context.Service<ExternalIds>()("layers/imports/ExternalIds", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Makes the statement that stores the external ids of new resources. */
      insertStatement: (
        store: StoreId,
        kind: ExternalIdKind,
        entries: ReadonlyArray<ExternalIdEntry>
      ): Statement => sql`
        insert into external_ids (store_id, kind, external_id, resource_id)
        select ${store}, ${kind}, external_id, resource_id
        from unnest(
          ${textArray(entries.map(({ externalId }) => externalId))}::text[],
          ${textArray(entries.map(({ id }) => id))}::uuid[]
        ) as entry (external_id, resource_id)
      `,

      /** Returns the ids of the resources with these external ids. Unknown ones are omitted. */
      find: Effect.fn("ExternalIds.find")(function* (
        store: StoreId,
        kind: ExternalIdKind,
        externalIds: ReadonlyArray<string>
      ) {
        const rows = yield* readEntries(sql`
          select requested.external_id as "externalId", resolved.id
          from ${resolveExternalIds(store, kind, externalIds)} where resolved.id is not null
        `)
        return new Map(rows.map(({ externalId, id }) => [externalId, id]))
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
