import { Effect, Option, Schema } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionHead, CollectionNotFound, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import { judge, PREVIEWED } from "../../domain/catalog/Membership.ts"
import { ProductNotFound } from "../../domain/catalog/Product.ts"
import { parse } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { RULES_MILLIS, selectHead } from "./CollectionRepo.ts"
import { matching, type Rules } from "./Members.ts"
import { productOf } from "./ProductRepo.ts"
import type { SqlValue } from "./RuleSql.ts"
import { SUMMARY } from "./Summaries.ts"

const decodeRules = Schema.decodeUnknownSync(Schema.encodedSchema(CollectionHead.pick("type", "disjunctive", "rules")))

/** How many products match the rules, and the first of them: one statement, and so of one moment. */
const selectPreview = (store: StoreId, rules: Rules, limit: number): Statement => {
  const values: Array<SqlValue | number> = [store, limit]
  const products = matching((type, value) => `$${values.push(value)}::${type}`, store, rules)
  return statement(`
    with matched as materialized (select id ${products})
    select (select count(*)::integer from matched) as "productCount", '[' || coalesce(string_agg(summary, ',' order by id), '') || ']' as items
    from (select id from matched order by id limit $2) as first, lateral (
      select ${SUMMARY} as summary from products p where p.store_id = $1 and p.id = first.id offset 0
    ) as shown
  `)(...values)
}

const Previewed = Schema.Struct({ productCount: Schema.Int, items: Schema.String })

/** A collection with a product, of which either may not be there, at one moment. */
const selectBoth = statement(`
  select c.document::text as collection, p.document::text as product, exists (
    select 1 from collection_members m where m.store_id = $1 and m.collection_id = $2 and m.product_id = $3
  ) as "isListed"
  from collections c left join products p on p.store_id = $1 and p.id = $3
  where c.store_id = $1 and c.id = $2
`)
const Both = Schema.Struct({
  collection: Schema.String,
  product: Schema.NullOr(Schema.String),
  isListed: Schema.Boolean
})

/** What collections would hold, and why they hold what they do. */
export const makeMemberships = ({ first, rowsWithin }: DatabaseOf) => {
  const headOf = first(Schema.Struct({ document: Schema.String }))
  const previewedOf = rowsWithin(Previewed)
  const bothOf = first(Both)

  return {
    previewCollection: Effect.fn("Catalog.previewCollection")(function* (
      store,
      { disjunctive, id, limit = PREVIEWED, rules }
    ) {
      const head = id === undefined ? Option.none() : yield* headOf(selectHead(store, id))
      if (id !== undefined && Option.isNone(head)) return yield* new CollectionNotFound({ id })
      const saved = Option.isNone(head) ? undefined : decodeRules(parse(head.value.document))
      const wanted = {
        rules: rules ?? saved?.rules ?? [],
        disjunctive: disjunctive ?? saved?.disjunctive ?? false
      }
      const [preview] = yield* Effect.catchTag(
        previewedOf(selectPreview(store, wanted, limit), RULES_MILLIS),
        "TookTooLong",
        () => new RulesTooSlow({ collection: id ?? null })
      )
      return preview ?? { productCount: 0, items: "[]" }
    }),

    explainMembership: Effect.fn("Catalog.explainMembership")(function* (store, id, productId) {
      const both = yield* bothOf(selectBoth(store, id, productId))
      if (Option.isNone(both)) return yield* new CollectionNotFound({ id })
      const { collection, isListed, product } = both.value
      if (product === null) return yield* new ProductNotFound({ id: productId })
      const head = decodeRules(parse(collection))
      const found =
        head.type === "manual"
          ? { isMember: isListed, reasons: [] }
          : judge(facetsOf(productOf(product, productId)), head)
      return { collectionId: id, productId, type: head.type, disjunctive: head.disjunctive, ...found }
    })
  } satisfies Partial<typeof Catalog.Service>
}
