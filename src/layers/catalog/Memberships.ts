import { Effect, Option, Schema, Struct } from "effect"
import { compileStoredDecoder } from "../../domain/Decoder.ts"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionHead, type CollectionId, CollectionNotFound, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import { evaluateRules, PREVIEWED, type RulesToEvaluate } from "../../domain/catalog/Membership.ts"
import { type ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import { parse } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { sql, type Statement } from "../sql/Statement.ts"
import { RULES_MILLIS, selectHead } from "./CollectionRepository.ts"
import { matching, type Rules } from "./CollectionMembers.ts"
import { productOf } from "./ProductRepository.ts"
import { bindParameter } from "./RuleSql.ts"
import { SUMMARY } from "./Summaries.ts"

const decodeRules = compileStoredDecoder(CollectionHead.mapFields(Struct.pick(["type", "disjunctive", "rules"])))

/** How many products match the rules, and the first of them: one statement, and so of one moment. */
const selectPreview = (store: StoreId, rules: Rules, limit: number): Statement => sql`
  with matched as materialized (select id ${matching(bindParameter, store, rules)})
  select (select count(*)::integer from matched) as "productCount",
    '[' || coalesce(string_agg(summary, ',' order by id), '') || ']' as items
  from (select id from matched order by id limit ${limit}) as first, lateral (
    select ${SUMMARY} as summary from products p where p.store_id = ${store} and p.id = first.id offset 0
  ) as shown
`

const Previewed = Schema.Struct({ productCount: Schema.Int, items: Schema.String })

/** A collection with a product, of which either may not be there, at one moment. */
const selectBoth = (store: StoreId, collection: CollectionId | null, product: ProductId) => sql`
  select
    (select document::text from collections where store_id = ${store} and id = ${collection}) as collection,
    (select document::text from products where store_id = ${store} and id = ${product}) as product,
    exists (
      select 1 from collection_members m
      where m.store_id = ${store} and m.collection_id = ${collection} and m.product_id = ${product}
    ) as "isListed"
`
const Both = Schema.Struct({
  collection: Schema.NullOr(Schema.String),
  product: Schema.NullOr(Schema.String),
  isListed: Schema.Boolean
})

/** The rules that are tried out, or those that a collection has where nothing else is said. */
const wantedOf = (tried: RulesToEvaluate, document: string | null): Rules => {
  const saved = document === null ? undefined : decodeRules(parse(document))
  return {
    rules: tried.rules ?? saved?.rules ?? [],
    disjunctive: tried.disjunctive ?? saved?.disjunctive ?? false
  }
}

/** Whether a product is held because somebody put it there: no rules are tried out, and the collection is manual. */
const isByHand = ({ disjunctive, rules }: RulesToEvaluate, document: string | null) =>
  document !== null &&
  rules === undefined &&
  disjunctive === undefined &&
  decodeRules(parse(document)).type === "manual"

/** What collections would hold, and why they hold what they do. */
export const makeMemberships = ({ first, one, rowsWithin }: DatabaseOf) => {
  const headOf = first(Schema.Struct({ document: Schema.String }))
  const previewedOf = rowsWithin(Previewed)
  const bothOf = one(Both)

  return {
    previewCollection: Effect.fn("Catalog.previewCollection")(function* (store, { limit = PREVIEWED, ...tried }) {
      const { id } = tried
      const head = id === undefined ? Option.none() : yield* headOf(selectHead(store, id))
      if (id !== undefined && Option.isNone(head)) return yield* new CollectionNotFound({ id })
      const wanted = wantedOf(tried, Option.isNone(head) ? null : head.value.document)
      const [preview] = yield* Effect.catchTag(
        previewedOf(selectPreview(store, wanted, limit), RULES_MILLIS),
        "TookTooLong",
        () => new RulesTooSlow({ collection: id ?? null })
      )
      return preview ?? { productCount: 0, items: "[]" }
    }),

    explainMembership: Effect.fn("Catalog.explainMembership")(function* (store, productId, tried) {
      const { id = null } = tried
      const { collection, isListed, product } = yield* bothOf(selectBoth(store, id, productId))
      if (id !== null && collection === null) return yield* new CollectionNotFound({ id })
      if (product === null) return yield* new ProductNotFound({ id: productId })
      const { disjunctive, rules } = wantedOf(tried, collection)
      const about = { collectionId: id, productId, disjunctive }
      return isByHand(tried, collection)
        ? { ...about, type: "manual", isMember: isListed, reasons: [] }
        : {
            ...about,
            type: "automated",
            ...evaluateRules(facetsOf(productOf(product, productId)), { disjunctive, rules })
          }
    })
  } satisfies Partial<typeof Catalog.Service>
}
