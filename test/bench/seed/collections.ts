import type Pg from "pg"
import type { CollectionHead } from "../../../src/domain/catalog/Collection.ts"

/** Inserts collections into the service's table. */
export const insertServiceCollections = async (
  db: Pg.Client,
  storeId: string,
  heads: ReadonlyArray<CollectionHead>
): Promise<void> => {
  await db.query(
    `insert into collections (store_id, document, bytes, bytes_of)
     select $1, value::json, octet_length(value), (value::json ->> 'version')::integer from unnest($2::text[]) as value`,
    [storeId, heads.map((head) => JSON.stringify(head))]
  )
}

export const insertBaselineCollections = async (
  db: Pg.Client,
  storeId: string,
  heads: ReadonlyArray<CollectionHead>
): Promise<void> => {
  await db.query(
    `
    insert into collections (
      store_id, id, title, type, is_active, slug, disjunctive, rules, created_at, updated_at
    )
    select $1, id, title, type, "isActive", slug, disjunctive, rules, "createdAt", "updatedAt"
    from json_to_recordset($2) as given (
      id uuid, title text, type text, "isActive" boolean, slug text, disjunctive boolean, rules jsonb,
      "createdAt" timestamptz, "updatedAt" timestamptz
    )
  `,
    [storeId, JSON.stringify(heads)]
  )
}
