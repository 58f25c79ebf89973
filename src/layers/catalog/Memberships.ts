import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionId, CollectionNotFound, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { CollectionContents, ProductDocument } from "../../domain/catalog/Documents.ts"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import {
  evaluateRules,
  MAX_STEPS,
  type MembershipStart,
  PREVIEWED,
  type RulesToEvaluate
} from "../../domain/catalog/Membership.ts"
import { isMatched } from "../../domain/catalog/MembershipChange.ts"
import { ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import { EventId } from "../../domain/Events.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { membersOfSide } from "../journal/JournalRow.ts"
import { automatedIn, facetsIn, resourceHistory, stepsOf } from "../journal/ResourceHistory.ts"
import { orDefect } from "../sql/Errors.ts"
import { END } from "../sql/Pages.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { snapshot } from "../sql/Transaction.ts"
import { RulesTimeout } from "./CollectionRepository.ts"
import { matching, type Rules } from "./CollectionMembers.ts"
import { SUMMARY } from "./Columns.ts"
import { bindParameter } from "./RuleSql.ts"

/** Returns the rules to evaluate: those of the request, else those of the collection. */
const rulesOf = (request: RulesToEvaluate, document: string | null): Rules => {
  const stored = document === null ? undefined : CollectionContents.parse(document)
  return {
    rules: request.rules ?? stored?.rules ?? [],
    disjunctive: request.disjunctive ?? stored?.disjunctive ?? false
  }
}

/** True if the members of a manual collection decide: the request has no rules. */
const isManual = ({ disjunctive, rules }: RulesToEvaluate, document: string | null) =>
  document !== null &&
  rules === undefined &&
  disjunctive === undefined &&
  CollectionContents.parse(document).type === "manual"

const readPreview = requiredRowReader(Schema.Struct({ productCount: Schema.Int, items: Schema.String }))

interface Sides {
  readonly product: JsonObject | null
  readonly collection: JsonObject | null
}

/** Tests whether a product is in a collection in these states of both. */
const isMemberIn = (product: ProductId, id: CollectionId, sides: Sides): boolean => {
  if (sides.product === null || sides.collection === null) return false
  const automated = automatedIn(id, sides.collection)
  const { productIds } = sides.collection
  return automated === null
    ? Array.isArray(productIds) && productIds.includes(product)
    : isMatched(facetsIn(sides.product), automated)
}

/** Operations of {@link Catalog} that preview rules and explain memberships. */
export const membershipOperations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { listNewest } = yield* resourceHistory
  const { journalDays } = yield* OperatorLimits

  const findDocument = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, id: CollectionId }),
    Result: Schema.Struct({ document: Schema.String }),
    execute: ({ id, store }) => sql`
      select document::text as document from collections where store_id = ${store} and id = ${id}
    `
  })

  /** Counts the products that match the rules and returns the first of them, in one statement and so from one snapshot. */
  const selectPreview = (store: StoreId, rules: Rules, limit: number) => sql`
    with matched as materialized (select id ${matching(bindParameter, store, rules)})
    select (select count(*)::integer from matched) as "productCount",
      '[' || coalesce(string_agg(summary, ',' order by id), '') || ']' as items
    from (select id from matched order by id limit ${limit}) as first, lateral (
      select ${SUMMARY} as summary from products p where p.store_id = ${store} and p.id = first.id offset 0
    ) as summarized
  `

  const findPair = SqlSchema.findOne({
    Request: Schema.Struct({ store: StoreId, collection: Schema.NullOr(CollectionId), product: ProductId }),
    Result: Schema.Struct({
      collection: Schema.NullOr(Schema.String),
      product: Schema.NullOr(Schema.String),
      isListed: Schema.Boolean
    }),
    execute: ({ collection, product, store }) => sql`
      select
        (select document::text from collections where store_id = ${store} and id = ${collection}) as collection,
        (select document::text from products where store_id = ${store} and id = ${product}) as product,
        exists (
          select 1 from collection_members m
          where m.store_id = ${store} and m.collection_id = ${collection} and m.product_id = ${product}
        ) as "isListed"
    `
  })

  /**
   * Finds the change with which a member entered the collection: changes of both are undone in memory, newest first, until
   * the product is no member.
   */
  const findStart = Effect.fnUntraced(
    function* (store: StoreId, product: ProductId, collection: CollectionId) {
      const {
        collection: document,
        isListed,
        product: productDocument
      } = yield* findPair({ store, collection, product })
      if (document === null || productDocument === null) return null
      const since = leastUuidOf(new Date((yield* Clock.currentTimeMillis) - journalDays * 24 * 3_600_000))
      const listSteps = (id: string, current: JsonObject) =>
        Effect.map(listNewest(store, id, since, END, MAX_STEPS), (entries) => stepsOf(current, entries))
      let sides: Sides = {
        product: parseMembers(productDocument),
        collection: { ...parseMembers(document), productIds: isListed ? [product] : [] }
      }
      if (!isMemberIn(product, collection, sides)) return null
      const collections = yield* listSteps(collection, membersOfSide(sides.collection))
      const products = yield* listSteps(product, membersOfSide(sides.product))
      const [oldestKnown] = [collections, products]
        .flatMap((steps) => (steps.length < MAX_STEPS ? [] : steps.slice(-1)))
        .map(({ entry }) => entry.id)
        .toSorted()
        .toReversed()
      const steps = [...collections, ...products].toSorted((a, b) => (a.entry.id < b.entry.id ? 1 : -1))
      for (const { before, entry } of steps) {
        if (oldestKnown !== undefined && entry.id < oldestKnown) return null
        if (entry.resource === "product") sides = { product: before, collection: sides.collection }
        else sides = { product: sides.product, collection: before }
        if (!isMemberIn(product, collection, sides)) {
          const start: MembershipStart = {
            position: EventId.make(entry.id, { disableChecks: true }),
            at: entry.at.toISOString(),
            changed: entry.resource
          }
          return start
        }
      }
      return null
    },
    (work) => snapshot(sql, work)
  )

  return {
    previewCollection: Effect.fn("Catalog.previewCollection")(function* (store, { limit = PREVIEWED, ...request }) {
      const { id } = request
      const stored = id === undefined ? Option.none() : yield* findDocument({ store, id })
      if (id !== undefined && Option.isNone(stored)) return yield* new CollectionNotFound({ id })
      const rules = rulesOf(request, Option.isNone(stored) ? null : stored.value.document)
      return yield* Effect.timeoutOrElse(readPreview(selectPreview(store, rules, limit)), {
        duration: yield* RulesTimeout,
        orElse: () => new RulesTooSlow({ collection: id ?? null })
      })
    }, orDefect),

    explainMembership: Effect.fn("Catalog.explainMembership")(function* (store, productId, request) {
      const { id = null } = request
      const { collection, isListed, product } = yield* findPair({ store, collection: id, product: productId })
      if (id !== null && collection === null) return yield* new CollectionNotFound({ id })
      if (product === null) return yield* new ProductNotFound({ id: productId })
      const { disjunctive, rules } = rulesOf(request, collection)
      const subject = { collectionId: id, productId, disjunctive }
      const explained = isManual(request, collection)
        ? { ...subject, type: "manual" as const, isMember: isListed, reasons: [] }
        : {
            ...subject,
            type: "automated" as const,
            ...evaluateRules(facetsOf(ProductDocument.parse(product)), { disjunctive, rules })
          }
      const isStored = request.rules === undefined && request.disjunctive === undefined
      const since = explained.isMember && isStored && id !== null ? yield* findStart(store, productId, id) : null
      return { ...explained, since }
    }, orDefect)
  } satisfies Partial<typeof Catalog.Service>
})
