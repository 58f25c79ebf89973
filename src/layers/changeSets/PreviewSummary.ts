import { Effect, Schema } from "effect"
import { CollectionContents, productIn } from "../../domain/catalog/Documents.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { type Facets, facetsOf } from "../../domain/catalog/Facets.ts"
import { type Automated, automatedOf, changedFields, crosses } from "../../domain/catalog/MembershipChange.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import type { Preview } from "../../domain/changeSets/ChangeSet.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import { isEventKind, StoredEventKind } from "../../domain/Events.ts"
import { changedMembers } from "../../domain/journal/Entry.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Change, Snapshot, WriteContext } from "../../domain/Write.ts"
import { CollectionRepository, type CollectionRow } from "../catalog/CollectionRepository.ts"
import { Outbox } from "../webhooks/Outbox.ts"
import { messagesOf } from "../Writes.ts"

/** Maximum number of automated collections whose rules are applied, and milliseconds for applying them. */
const MAX_COLLECTIONS = 1_000
const MAX_MILLIS = 5_000

/** Maximum number of reasons of refusals. */
const MAX_REASONS = 20

/** Members that every update changes. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(["version", "updatedAt", "productCount"])

/** Mutable sums of a preview, stored between its steps. */
export const Sums = Schema.Struct({
  created: Schema.Int,
  updated: Schema.Int,
  deleted: Schema.Int,
  fields: Schema.Array(Schema.Struct({ field: Schema.String, count: Schema.Int })),
  lowestPrice: Schema.NullOr(Schema.Number),
  highestPrice: Schema.NullOr(Schema.Number),
  refusals: Schema.Array(Schema.Struct({ error: Schema.String, count: Schema.Int })),
  collections: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        id: Schema.toType(CollectionId),
        title: Schema.String,
        enters: Schema.Int,
        leaves: Schema.Int
      })
    )
  ),
  events: Schema.Array(Schema.Struct({ kind: StoredEventKind, count: Schema.Int }))
})
export type Sums = typeof Sums.Type

export const NO_SUMS: Sums = {
  created: 0,
  updated: 0,
  deleted: 0,
  fields: [],
  lowestPrice: null,
  highestPrice: null,
  refusals: [],
  collections: [],
  events: []
}

/** Stored form of the sums. Those of earlier releases lack some. */
export const SumsDocument = storedDocument(Sums, { defaults: NO_SUMS })

const sides = ({ after, before }: Change) => ({ before: productIn(before), after: productIn(after) })

/** Changed prices of a product and of its variants. */
const newPrices = (before: Product | null, after: Product): ReadonlyArray<number> => {
  const known = new Map(before?.variants.map(({ id, price }) => [id, price]))
  const ofVariants = after.variants.flatMap(({ id, price }) =>
    price === undefined || price === known.get(id) ? [] : [price]
  )
  return after.price === before?.price ? ofVariants : [after.price, ...ofVariants]
}

/** Title and products of a manual collection in one state. Automated collections are counted by their rules. */
const contentsOf = (side: Snapshot | null) => {
  const { productIds = [], title = "", type } = side === null ? {} : CollectionContents.parse(side.json)
  return { title, ids: new Set(type === "manual" ? productIds : []) }
}

/** Adds up what the changes of a preview would do, change by change, so that no change is kept. */
export const previewSummary = Effect.gen(function* () {
  const { listHeads } = yield* CollectionRepository
  const { listRecipients } = yield* Outbox

  const listAutomated = Effect.fnUntraced(function* (store: StoreId) {
    const automated: Array<Automated> = []
    let cursor: CollectionId | undefined
    do {
      const page: ReadonlyArray<CollectionRow> = yield* listHeads(store, { cursor, limit: MAX_LIMIT })
      cursor = page.at(-1)?.id
      for (const { document, id } of page) {
        const { disjunctive, rules, title, type } = CollectionContents.parse(document)
        if (type === "automated" && rules.length > 0) {
          automated.push(automatedOf({ id, title, disjunctive, rules }))
        }
      }
      if (automated.length > MAX_COLLECTIONS) return null
    } while (cursor !== undefined)
    return automated
  })

  return {
    /** Makes a collector of changes, which starts with the sums of the steps before. */
    collect: Effect.fnUntraced(function* (context: WriteContext, before: Sums) {
      const automated = before.collections === null ? null : yield* listAutomated(context.storeId)
      const collections = new Map(before.collections?.map((one) => [one.id, { ...one }]))
      const fields = new Map(before.fields.map(({ count, field }) => [field, count]))
      const events = new Map(before.events.map(({ count, kind }) => [kind, count]))
      const refusals = new Map(before.refusals.map(({ count, error }) => [error, count]))
      let { created, deleted, highestPrice, lowestPrice, updated } = before
      let millis = 0

      const addCrossings = (id: CollectionId, title: string, enters: number, leaves: number) => {
        const counts = collections.get(id) ?? { id, title, enters: 0, leaves: 0 }
        collections.set(id, { ...counts, enters: counts.enters + enters, leaves: counts.leaves + leaves })
      }

      const addMembership = (facetsBefore: Facets | null, facetsAfter: Facets | null) => {
        const changed = changedFields(facetsBefore, facetsAfter)
        for (const collection of automated ?? []) {
          const enters = crosses(collection, facetsBefore, facetsAfter, changed)
          if (enters === undefined) continue
          addCrossings(collection.id, collection.title, Number(enters), Number(!enters))
        }
      }

      const addMembers = (id: CollectionId, before: Snapshot | null, after: Snapshot | null) => {
        const [old, next] = [contentsOf(before), contentsOf(after)]
        const enters = [...next.ids].filter((one) => !old.ids.has(one)).length
        const leaves = [...old.ids].filter((one) => !next.ids.has(one)).length
        if (enters + leaves > 0) addCrossings(id, after === null ? old.title : next.title, enters, leaves)
      }

      /** Counts members of collections until it has taken too long. */
      const addTimed = (add: () => void) => {
        if (automated === null || millis > MAX_MILLIS) return
        const startedAt = performance.now()
        add()
        millis += performance.now() - startedAt
      }

      const addProduct = (change: Change) => {
        const { after, before } = sides(change)
        if (after !== null) {
          for (const price of newPrices(before, after)) {
            lowestPrice = Math.min(lowestPrice ?? price, price)
            highestPrice = Math.max(highestPrice ?? price, price)
          }
        }
        addTimed(() => addMembership(before && facetsOf(before), after && facetsOf(after)))
      }

      const addFields = (before: Snapshot, after: Snapshot) => {
        for (const field of changedMembers(before, after)) {
          if (!ALWAYS_CHANGED.has(field)) fields.set(field, (fields.get(field) ?? 0) + 1)
        }
      }

      return {
        addChanges: (changes: ReadonlyArray<Change>) => {
          for (const change of changes) {
            const { after, before, resource, resourceId } = change
            if (before !== null && after !== null) addFields(before, after)
            if (resource === "product") addProduct(change)
            if (resource === "collection") {
              addTimed(() => addMembers(CollectionId.make(resourceId, { disableChecks: true }), before, after))
            }
            for (const { event } of messagesOf(context, 0, change)) {
              events.set(event.kind, (events.get(event.kind) ?? 0) + 1)
            }
          }
        },
        addResults: (results: ReadonlyArray<Performed>) => {
          for (const { error, outcome } of results) {
            created += Number(outcome === "created")
            updated += Number(outcome === "updated")
            deleted += Number(outcome === "deleted")
            if (error !== null && (refusals.has(error) || refusals.size < MAX_REASONS)) {
              refusals.set(error, (refusals.get(error) ?? 0) + 1)
            }
          }
        },
        sums: (): Sums => ({
          created,
          updated,
          deleted,
          fields: [...fields].map(([field, count]) => ({ field, count })),
          lowestPrice,
          highestPrice,
          refusals: [...refusals].map(([error, count]) => ({ error, count })),
          collections: automated === null || millis > MAX_MILLIS ? null : [...collections.values()],
          events: [...events].map(([kind, count]) => ({ kind, count }))
        })
      }
    }),

    /** Completes the summary with the apps that receive the events. */
    complete: Effect.fnUntraced(function* (context: WriteContext, sums: Sums) {
      const events = yield* Effect.forEach(sums.events, ({ count, kind }) =>
        Effect.map(
          isEventKind(kind) ? listRecipients(context.storeId, context.actor, kind) : Effect.succeed([]),
          (recipients) => ({ kind, count, recipients })
        )
      )
      const refusals = sums.refusals.toSorted((a, b) => b.count - a.count)
      const collections = sums.collections?.toSorted((a, b) => b.enters + b.leaves - a.enters - a.leaves).slice(0, 100)
      const fields = sums.fields.toSorted((a, b) => b.count - a.count)
      const summary: Preview = { ...sums, fields, refusals, events, collections: collections ?? null }
      return summary
    })
  }
})
