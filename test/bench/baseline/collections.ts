import type Pg from "pg"
import { notFound } from "./errors.ts"
import { matchStatement, type Rule } from "./rules.ts"

interface CollectionRow {
  readonly id: string
  readonly type: "manual" | "automated"
  readonly disjunctive: boolean
  readonly rules: ReadonlyArray<Rule>
  readonly [field: string]: unknown
}

export interface Collection extends CollectionRow {
  readonly productIds: ReadonlyArray<string>
  readonly productCount: number
}

const GET = {
  name: "get-collection",
  text: `
    select
      id, version, title, type, description, image_url as "imageUrl", is_active as "isActive", slug,
      seo_title as "seoTitle", meta_description as "metaDescription", disjunctive, rules,
      created_at as "createdAt", updated_at as "updatedAt"
    from collections where store_id = $1 and id = $2
  `
}

const MEMBERS = {
  name: "collection-members",
  text: "select product_id as id from collection_members where store_id = $1 and collection_id = $2 order by position"
}

/** Reads a collection with its current products. */
export const getCollection = async (pool: Pg.Pool, storeId: string, id: string): Promise<Collection> => {
  const result = await pool.query<CollectionRow>({ ...GET, values: [storeId, id] })
  const [collection] = result.rows
  if (collection === undefined) throw notFound(`Collection ${id}`)
  const members = await pool.query<{ id: string }>(
    collection.type === "automated"
      ? matchStatement(storeId, collection.rules, collection.disjunctive)
      : { ...MEMBERS, values: [storeId, id] }
  )
  const productIds = members.rows.map((row) => row.id)
  return { ...collection, productIds, productCount: productIds.length }
}
