import { Clock, Deferred, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { whileGranted } from "../../domain/access/OngoingAccess.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { EventId } from "../../domain/Events.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import {
  ChangeFeed,
  type FeedPageDocument,
  type FeedReading,
  type FeedRequest,
  FeedResource,
  KIND_OF_RESOURCE
} from "../../domain/journal/ChangeFeed.ts"
import { CatalogKind } from "../../domain/journal/Kinds.ts"
import { PAGE_BYTES, PAGE_MILLIS } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { millisOf } from "../../domain/Uuid.ts"
import { collectionReads } from "../catalog/CollectionReads.ts"
import { DOCUMENT_BYTES, PRODUCT_TEXT } from "../catalog/Columns.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { CompletedText } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { traced } from "../telemetry/Traced.ts"
import { feedMemberships } from "./FeedMemberships.ts"
import { FollowedStores, partsOf } from "./FollowedStores.ts"

/** Maximum number of entries examined for a page of some resources. A page of a rare resource ends early. */
const MAX_EXAMINED = 1_000

const Row = Schema.Struct({
  position: Schema.toType(EventId),
  kind: CatalogKind,
  id: Schema.String,
  version: Schema.Int,
  deleted: Schema.Boolean,
  at: Schema.Date,
  actorType: Schema.String,
  actorId: Schema.String,
  changeSetId: Schema.NullOr(Schema.String)
})
type Row = typeof Row.Type

const readRows = rowsReader(Row)
const readDocuments = rowsReader(
  Schema.Struct({ id: Schema.String, json: Schema.NullOr(CompletedText(ProductDocument)) })
)

const toCollectionId = Schema.decodeSync(CollectionId)

const RESOURCE_OF_KIND = { product: "products", collection: "collections" } as const satisfies Record<
  CatalogKind,
  FeedResource
>

const changeJson = ({ actorId, actorType, at, changeSetId, deleted, id, kind, position, version }: Row): JsonText =>
  JSON.stringify({
    position,
    resource: RESOURCE_OF_KIND[kind],
    id,
    version,
    deleted,
    at,
    actor: { kind: actorType },
    originInstallationId: actorType === "app" ? actorId : null,
    changeSetId
  })

export const ChangeFeedLive = Layer.effect(
  ChangeFeed,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { findHorizon, follow } = yield* FollowedStores
    const { readById } = yield* collectionReads
    const listMemberships = yield* feedMemberships

    const listEntries = (store: StoreId, after: string, before: string, limit: number) => {
      const parts = partsOf(millisOf(after), millisOf(before))
      return readRows(sql`
        select
          id as position, resource as kind, resource_id as id, version, after is null as deleted, at,
          actor_type as "actorType", actor_id as "actorId", change_set_id as "changeSetId"
        from entries_after(${store}, ${after}, ${before}, ${parts}, ${plainArray(CatalogKind.literals)}, ${limit})
      `)
    }

    /** Returns current products by id, in this order and up to the size of a page; null for those that do not exist. */
    const findProducts = Effect.fnUntraced(function* (store: StoreId, ids: ReadonlyArray<string>) {
      if (ids.length === 0) return new Map<string, JsonText | null>()
      const rows = yield* readDocuments(sql`
        select id, ${PRODUCT_TEXT} as json from (
          select wanted.id, product.document, product.schema_hash,
            coalesce(sum(product.bytes) over (
              order by place rows between unbounded preceding and 1 preceding
            ), 0) < ${PAGE_BYTES} as fits
          from unnest(${plainArray(ids)}::uuid[]) with ordinality as wanted (id, place)
          left join lateral (
            select document, schema_hash, ${DOCUMENT_BYTES} as bytes from products
            where store_id = ${store} and products.id = wanted.id offset 0
          ) as product on true
        ) as sized
        where fits
      `)
      return new Map(rows.map(({ id, json }) => [id, json]))
    })

    /** Returns the current collection; null if it does not exist, undefined if its rules are too slow for this page. */
    const findCollection = (store: StoreId, id: string, isFirst: boolean) =>
      readById(store, toCollectionId(id)).pipe(
        Effect.map((found) => (Option.isSome(found) ? found.value.json : null)),
        Effect.catchTag("RulesTooSlow", (error) => (isFirst ? Effect.fail(error) : Effect.succeed(undefined)))
      )

    /**
     * Adds the current documents to changes. The page ends before a change whose document has no space or, for a collection,
     * takes too long.
     */
    const withDocuments = Effect.fnUntraced(function* (
      store: StoreId,
      rows: ReadonlyArray<Row>,
      isListed: (row: Row) => boolean
    ) {
      const products = rows.filter((row) => row.kind === "product" && isListed(row))
      const documents = yield* findProducts(store, [...new Set(products.map(({ id }) => id))])
      const startedAt = yield* Clock.currentTimeMillis
      const changes: Array<ReadonlyArray<JsonText>> = []
      let bytes = 0
      for (const row of rows) {
        const isFirst = changes.length === 0
        if (!isListed(row)) {
          changes.push([])
          continue
        }
        if (row.kind === "collection" && !documents.has(row.id)) {
          if (!isFirst && (yield* Clock.currentTimeMillis) - startedAt > PAGE_MILLIS) break
          const found = yield* findCollection(store, row.id, isFirst)
          if (found !== undefined) documents.set(row.id, found)
        }
        const document = documents.get(row.id)
        if (document === undefined || bytes >= PAGE_BYTES) break
        bytes += document?.length ?? 0
        changes.push([extend(changeJson(row), `{"document":${document}}`)])
      }
      return changes
    })

    /** Reads a page. Entries before `known`, an earlier horizon, are complete too. */
    const readPage = Effect.fnUntraced(function* (
      store: StoreId,
      { after, include, limit, resources }: FeedRequest,
      known = ""
    ) {
      const current = yield* findHorizon(store, after)
      const horizon = EventId.make(current > known ? current : known, { disableChecks: true })
      if (after === undefined) return { changes: [], nextPosition: horizon, isLatest: true }
      if (after >= horizon) return { changes: [], nextPosition: after, isLatest: true }
      const kinds = new Set<string>(
        FeedResource.literals.flatMap((one) => (resources.includes(one) ? KIND_OF_RESOURCE[one] : []))
      )
      const isListed = ({ kind }: Row) => kinds.has(kind)
      const hasMemberships = resources.includes("memberships")
      const isFull = hasMemberships || kinds.size === CatalogKind.literals.length
      const examined = isFull ? limit + 1 : MAX_EXAMINED
      const entries = yield* listEntries(store, after, horizon, examined)
      const matching = isFull ? entries : entries.filter(isListed)
      const rows = matching.slice(0, limit)
      const listed =
        include === "document"
          ? yield* withDocuments(store, rows, isListed)
          : rows.map((row) => (isListed(row) ? [changeJson(row)] : []))
      const memberships = hasMemberships ? yield* listMemberships(store, rows.slice(0, listed.length)) : undefined
      const complete = listed.slice(0, memberships?.size)
      const changes = complete.flatMap((one, index) => [
        ...one,
        ...(memberships?.get(rows[index]?.position ?? "") ?? [])
      ])
      const last = complete.length < matching.length ? rows[complete.length - 1] : undefined
      if (last !== undefined) return { changes, nextPosition: last.position, isLatest: false }
      const end = entries.length < examined ? undefined : entries.at(-1)
      return { changes, nextPosition: end?.position ?? horizon, isLatest: end === undefined }
    }, orDefect)

    /** Reads again whenever the store has changed, until a page has changes. `onEmpty` receives the pages without. */
    const readNext = Effect.fnUntraced(function* (
      store: StoreId,
      request: FeedRequest & { readonly after: EventId },
      { permit }: Pick<FeedReading<never>, "permit">,
      onEmpty: (page: FeedPageDocument) => void
    ) {
      const followed = yield* follow(store, request.after)
      let { after } = request
      while (true) {
        const { advanced, horizon } = followed
        if (horizon > after) {
          const page: FeedPageDocument = yield* permit(readPage(store, { ...request, after }, horizon))
          if (page.changes.length > 0 || !page.isLatest) return page
          onEmpty(page)
          after = page.nextPosition
        }
        yield* Deferred.await(advanced)
      }
    }, Effect.scoped)

    return ChangeFeed.of({
      list: traced("ChangeFeed.list")(function* (store, request, reading) {
        let page: FeedPageDocument = yield* reading.permit(readPage(store, request))
        const { after, wait = 0 } = request
        if (after === undefined || wait === 0 || page.changes.length > 0 || !page.isLatest) return page
        const onEmpty = (empty: FeedPageDocument) => void (page = empty)
        const next = readNext(store, { ...request, after: page.nextPosition }, reading, onEmpty)
        const end = Effect.raceFirst(Effect.sleep(`${wait} seconds`), reading.stopping)
        const answer = Effect.raceFirst(
          next,
          Effect.map(end, () => page)
        )
        return yield* whileGranted(reading.recheck)(answer)
      })
    })
  })
)
