import { Array, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import {
  type Automated,
  changedFields,
  crosses,
  isMatched,
  memberCause,
  productCause,
  rulesCause
} from "../../domain/catalog/MembershipChange.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import type { EventId } from "../../domain/Events.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { canonical, type JsonObject } from "../../domain/json/Json.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import {
  type FeedMembership,
  MAX_AUTOMATED,
  MAX_MEMBERSHIPS,
  MAX_WALKED,
  MembershipsTooFar
} from "../../domain/journal/ChangeFeed.ts"
import type { CatalogKind } from "../../domain/journal/Kinds.ts"
import { MAX_LIMIT, PAGE_BYTES, PAGE_MILLIS } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { millisOf } from "../../domain/Uuid.ts"
import { CollectionRepository, type CollectionRow, RulesTimeout } from "../catalog/CollectionRepository.ts"
import { matching } from "../catalog/CollectionMembers.ts"
import { bindParameter } from "../catalog/RuleSql.ts"
import { isCancelled, orDefect } from "../sql/Errors.ts"
import { END } from "../sql/Pages.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { snapshot } from "../sql/Transaction.ts"
import { partsOf } from "./FollowedStores.ts"
import { partOf } from "./Journal.ts"
import { membersOfSide } from "./JournalRow.ts"
import {
  automatedIn,
  facetsIn,
  type HistoryRow,
  resourceHistory,
  stateAfter,
  type Step,
  stepsOf,
  type Wanted
} from "./ResourceHistory.ts"
import { selectRestoredMemberships } from "./UndoProducts.ts"

/** Change of the feed. */
interface ChangeRow {
  readonly position: EventId
  readonly kind: CatalogKind
  readonly id: string
  readonly version: number
}

type Item = Omit<FeedMembership, "position" | "resource">

const IdRow = Schema.Struct({ id: Schema.toType(ProductId) })
const readIds = rowsReader(IdRow)
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(IdRow))
const readCollections = rowsReader(Schema.Struct({ id: Schema.toType(CollectionId) }))
const toIds = Schema.decodeUnknownSync(Schema.Array(Schema.toType(ProductId)))
const toCollectionId = Schema.decodeSync(CollectionId)

const productIdsIn = (side: unknown) => toIds(membersOfSide(side)["productIds"] ?? [])

const rulesIn = (rules: Automated | null) => rules && canonical([rules.disjunctive, rules.rules])

/** An item for a change that affects more products than are listed. */
const unlisted = (collectionId: CollectionId, position: string): ReadonlyArray<Item> => [
  { collectionId, productId: null, entered: null, cause: rulesCause(null, null, true, position) }
]

/** Products that enter and leave a manual list. */
const listItems = (collectionId: CollectionId, { after, before, id, omitted }: HistoryRow): ReadonlyArray<Item> => {
  const [old, next] = [productIdsIn(before), productIdsIn(after)]
  const entered = Array.difference(next, old)
  const left = Array.difference(old, next)
  if (omitted.includes("productIds") || entered.length + left.length > MAX_MEMBERSHIPS)
    return unlisted(collectionId, id)
  const itemOf = (enters: boolean) => (productId: ProductId) => ({
    collectionId,
    productId,
    entered: enters,
    cause: memberCause("members", id, enters)
  })
  return [...entered.map(itemOf(true)), ...left.map(itemOf(false))]
}

/**
 * The function returns the memberships that changes altered, as JSON by position, for as many changes as a page has space
 * and time for. States at the time of a change are computed from the current ones, so all are read from one snapshot.
 */
export const feedMemberships = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { listHeads } = yield* CollectionRepository
  const { findProducts, listEntries } = yield* resourceHistory

  const listCollections = Effect.fnUntraced(function* (store: StoreId) {
    const heads = new Map<CollectionId, JsonObject>()
    let cursor: CollectionId | undefined
    let automated = 0
    do {
      const page: ReadonlyArray<CollectionRow> = yield* listHeads(store, { cursor, limit: MAX_LIMIT })
      cursor = page.at(-1)?.id
      for (const { document, id } of page) {
        const head = parseMembers(document)
        heads.set(id, head)
        automated += Number(head["type"] === "automated")
      }
      if (automated > MAX_AUTOMATED) return yield* new MembershipsTooFar()
    } while (cursor !== undefined)
    return heads
  })

  const listWalked = Effect.fnUntraced(function* (...wanted: Parameters<typeof listEntries>) {
    const entries = yield* listEntries(...wanted)
    return entries.length >= MAX_WALKED
      ? yield* new MembershipsTooFar()
      : Array.groupBy(entries, ({ resourceId }) => resourceId)
  })

  const listChangedSince = (store: StoreId, position: string) =>
    readIds(sql`
      select distinct resource_id as id from entries_after(
        ${store}, ${position}, ${END}, ${partsOf(millisOf(position), Date.now())}, '{product}',
        ${constant(MAX_MEMBERSHIPS + 1)}
      )
    `)

  /** Lists current products that match only one of two rules; null if there are too many or it takes too long. */
  const listDifference = Effect.fnUntraced(function* (
    store: StoreId,
    before: Automated | null,
    after: Automated | null
  ) {
    const matched = (rules: Automated | null) =>
      rules === null
        ? sql`select null::uuid as id where false`
        : sql`select id ${matching(bindParameter, store, rules)}`
    const [old, next] = [matched(before), matched(after)]
    const limit = sql`select set_config('statement_timeout', ${yield* RulesTimeout}, true)`
    const select = sql`
      (select id from (${old}) as a except select id from (${next}) as b)
      union all (select id from (${next}) as c except select id from (${old}) as d)
      limit ${constant(MAX_MEMBERSHIPS + 1)}
    `
    // A savepoint, because the transaction continues after a cancelled statement.
    const rows = yield* sql
      .withTransaction(Effect.andThen(limit, select))
      .pipe(Effect.catchIf(isCancelled, () => Effect.succeed(null)))
    return rows && (yield* decodeIds(rows))
  })

  /** Products that enter and leave an automated collection because its rules changed. */
  const rulesItems = Effect.fnUntraced(function* (
    store: StoreId,
    collectionId: CollectionId,
    before: Automated | null,
    after: Automated | null,
    position: string
  ) {
    const since = yield* listChangedSince(store, position)
    const differing = since.length > MAX_MEMBERSHIPS ? null : yield* listDifference(store, before, after)
    if (differing === null || differing.length > MAX_MEMBERSHIPS) return unlisted(collectionId, position)
    const ids = [...new Set([...differing, ...since].map(({ id }) => id))]
    const states = yield* findProducts(store, ids)
    const wanted = since.map(({ id }) => ({ id, version: 0, since: position }))
    const entries = yield* listWalked(store, wanted, MAX_WALKED)
    return ids.flatMap((productId): ReadonlyArray<Item> => {
      const current = states.get(productId) ?? null
      const facets = facetsIn(stateAfter(current, stepsOf(current, entries[productId] ?? []), position))
      const enters = isMatched(facets, after)
      return facets === null || isMatched(facets, before) === enters
        ? []
        : [{ collectionId, productId, entered: enters, cause: rulesCause(facets, after, enters, position) }]
    })
  })

  /** Products that enter and leave a collection because it changed. None leave a collection that is deleted. */
  const collectionItems = (store: StoreId, id: CollectionId, { after, before, entry }: Step) => {
    if (after === null) return Effect.succeed([])
    const [old, next] = [automatedIn(id, before), automatedIn(id, after)]
    if (next === null && old === null) return Effect.succeed(listItems(id, entry))
    if (before !== null && (old === null || next === null)) return Effect.succeed(unlisted(id, entry.id))
    return rulesIn(old) === rulesIn(next) ? Effect.succeed([]) : rulesItems(store, id, old, next, entry.id)
  }

  const productItems = Effect.fnUntraced(function* (
    store: StoreId,
    { after, before, entry }: Step,
    rules: Iterable<Automated | null>
  ) {
    const productId = ProductId.make(entry.resourceId, { disableChecks: true })
    const sides = [facetsIn(before), facetsIn(after)] as const
    const changed = changedFields(...sides)
    const items: Array<Item> = []
    for (const collection of rules) {
      const entered = collection === null ? undefined : crosses(collection, ...sides, changed)
      if (collection === null || entered === undefined) continue
      const cause = productCause(collection, ...sides, entry.id)
      items.push({ collectionId: collection.id, productId, entered, cause })
    }
    // A changed product stays in its manual collections.
    const { memberships, undoes } = entry
    const isRestored = before === null && undoes !== null
    const manual = isRestored
      ? yield* readCollections(selectRestoredMemberships(sql, store, undoes, partOf(undoes)))
      : []
    for (const collectionId of [...manual.map(({ id }) => id), ...(memberships ?? []).map((one) => one.collectionId)]) {
      items.push({ collectionId, productId, entered: isRestored, cause: memberCause("product", entry.id, isRestored) })
    }
    return items
  })

  const compute = Effect.fnUntraced(function* (store: StoreId, rows: ReadonlyArray<ChangeRow>, start: string) {
    const computed = new Map<string, ReadonlyArray<JsonText>>()
    const heads = yield* listCollections(store)
    const firsts = new Map(rows.toReversed().map((row) => [row.id, row]))
    const startTime = new Date(millisOf(start)).toISOString()
    const wanted = [...firsts.values()]
      .filter(({ id, kind }) => kind === "product" || heads.has(toCollectionId(id)))
      .map(({ id, position, version }): Wanted => ({ id, version, since: position }))
    for (const [id, head] of heads) {
      const { updatedAt } = head
      const isLater = typeof updatedAt === "string" && updatedAt >= startTime
      if (isLater && !firsts.has(id)) wanted.push({ id, version: 0, since: start })
    }
    const entries = yield* listWalked(store, wanted, MAX_WALKED)
    const products = yield* findProducts(store, [...firsts.keys()])
    const steps = new Map<string, Step>()
    const rules = new Map<CollectionId, Automated | null>()
    for (const { id, kind } of firsts.values()) {
      if (kind !== "product") continue
      for (const step of stepsOf(products.get(id) ?? null, entries[id] ?? [])) steps.set(step.entry.id, step)
    }
    for (const [id, head] of heads) {
      const walked = stepsOf(head, entries[id] ?? [])
      for (const step of walked) steps.set(step.entry.id, step)
      const first = walked.findLast(({ entry }) => entry.id >= start)
      rules.set(id, automatedIn(id, first === undefined ? head : first.before))
    }
    const startedAt = performance.now()
    let bytes = 0
    for (const { id, kind, position } of rows) {
      if (bytes >= PAGE_BYTES || performance.now() - startedAt > PAGE_MILLIS) break
      const step = steps.get(position)
      let items: ReadonlyArray<Item> = []
      if (step !== undefined && kind === "product") items = yield* productItems(store, step, rules.values())
      if (step !== undefined && kind === "collection") {
        items = yield* collectionItems(store, toCollectionId(id), step)
        rules.set(toCollectionId(id), automatedIn(toCollectionId(id), step.after))
      }
      const texts = items.map((item): JsonText => {
        const membership: FeedMembership = { position, resource: "memberships", ...item }
        return JSON.stringify(membership)
      })
      bytes += texts.reduce((sum, { length }) => sum + length, 0)
      computed.set(position, texts)
      yield* Effect.yieldNow
    }
    return computed
  })

  return Effect.fnUntraced(function* (store: StoreId, rows: ReadonlyArray<ChangeRow>) {
    const [first] = rows
    if (first === undefined) return new Map<string, ReadonlyArray<JsonText>>()
    return yield* snapshot(sql, compute(store, rows, first.position))
  }, orDefect)
})
