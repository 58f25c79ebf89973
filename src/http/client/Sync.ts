import type { CallOptions } from "./Calls.ts"
import { ApiError } from "./Errors.ts"
import type { PartnerClient } from "./generated/Operations.ts"
import type { Collection, FeedChange, FeedMembership, FeedPage, Product } from "./generated/Resources.ts"

/* Copies of the catalog: the change feed as an iterator, and copies whose digests are compared. */

/** Resources that the change feed and copies cover. */
export type SyncResource = "products" | "collections"

export interface ChangesOptions extends CallOptions {
  /** The position to continue after: that of the last change you have stored. Default: the newest. */
  readonly after?: string | undefined
  /** Default: all that the scopes of the installation read. */
  readonly resources?: ReadonlyArray<SyncResource> | undefined
  /** `document` adds the current product or collection to each change. */
  readonly include?: "document" | undefined
}

/** A row of a copy: the document of a product or collection. */
export type SyncRow =
  | { readonly resource: "products"; readonly id: string; readonly version: number; readonly document: Product }
  | { readonly resource: "collections"; readonly id: string; readonly version: number; readonly document: Collection }

/** A step of a copy. */
export interface SyncBatch {
  /** Rows to insert or replace. */
  readonly upserts: ReadonlyArray<SyncRow>
  /** Rows to delete. Some may not exist. */
  readonly deletions: ReadonlyArray<{ readonly resource: SyncResource; readonly id: string }>
  /** Position to store, which `load` returns after a restart. */
  readonly position: string
}

/** Storage of a copy, which the app implements. */
export interface Copy {
  /** Returns the stored position; undefined if nothing is stored. */
  readonly load: () => Promise<string | undefined>
  /** Stores a step: rows, deletions and position, in one transaction. */
  readonly save: (batch: SyncBatch) => Promise<void>
  /** Returns the id and version of all stored rows of a resource. */
  readonly versions: (resource: SyncResource) => Promise<Iterable<{ readonly id: string; readonly version: number }>>
}

export interface SyncOptions extends CallOptions {
  /** Default: products and collections. */
  readonly resources?: ReadonlyArray<SyncResource> | undefined
  /** Seconds to wait for the first change, at most 30. Default: 0. */
  readonly wait?: number | undefined
}

/** A copy that had the digests of the store. */
export interface Proof {
  readonly position: string
  /** Number and digest of the rows of each resource. */
  readonly digests: ReadonlyArray<{ readonly resource: SyncResource; readonly count: number; readonly digest: string }>
  /** Number of ranges that were read again because they differed. */
  readonly repaired: number
}

type Feed = Pick<PartnerClient, "feed" | "products" | "collections">

/** Seconds that the service waits for a change: less than the timeouts of proxies. */
const WAIT = 25

const PAGE = 200

/** Rounds in which a copy and its store may differ because the store changes. */
const MAX_ROUNDS = 20

/** Follows the feed, one page after the other. */
async function* iterateFeed(
  { feed }: Feed,
  { after, include, ...options }: Omit<ChangesOptions, "resources">,
  resources: string | undefined
): AsyncGenerator<FeedChange | FeedMembership, never> {
  const query = { include, resources, limit: PAGE, wait: WAIT }
  let position = after ?? (await feed.listChanges({ resources }, options)).nextPosition
  while (true) {
    const page = await feed.listChanges({ ...query, after: position }, options)
    yield* page.changes
    position = page.nextPosition
  }
}

const isChange = (item: FeedChange | FeedMembership): item is FeedChange => item.resource !== "memberships"

/** Follows the changes of a store. */
export async function* iterateChanges(
  client: Feed,
  { resources, ...options }: ChangesOptions
): AsyncGenerator<FeedChange, never> {
  for await (const item of iterateFeed(client, options, resources?.join(","))) if (isChange(item)) yield item
  throw new Error("The feed has no end")
}

export type MembershipsOptions = Omit<ChangesOptions, "resources" | "include">

/** Follows the products that enter and leave collections. */
export async function* iterateMemberships(
  client: Feed,
  options: MembershipsOptions
): AsyncGenerator<FeedMembership, never> {
  for await (const item of iterateFeed(client, options, "memberships")) if (!isChange(item)) yield item
  throw new Error("The feed has no end")
}

const isGone = (error: unknown) => error instanceof ApiError && error.status === 410

/** Digest of rows: number, and XOR of their hashes in two halves. */
interface RowsDigest {
  count: number
  high: number
  low: number
}

const hexOf = ({ high, low }: RowsDigest) =>
  [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")

const rangeOf = (id: string) => id.slice(-2)

/** Computes the digest of each range of rows. */
const digestRanges = async (rows: Iterable<{ readonly id: string; readonly version: number }>) => {
  const ranges = new Map<string, RowsDigest>()
  const encoder = new TextEncoder()
  for (const { id, version } of rows) {
    const hash = new DataView(await crypto.subtle.digest("SHA-256", encoder.encode(`${id}:${version}`)))
    const range = ranges.get(rangeOf(id)) ?? { count: 0, high: 0, low: 0 }
    range.count++
    range.high ^= hash.getUint32(0)
    range.low ^= hash.getUint32(4)
    ranges.set(rangeOf(id), range)
  }
  return ranges
}

const rowOf = (resource: SyncResource, document: unknown): SyncRow => {
  const { id, version } = document as Product | Collection
  return { resource, id, version, document } as SyncRow
}

const toBatch = ({ changes, nextPosition }: FeedPage): SyncBatch => {
  // The last change of a row has the newest document.
  const last = new Map(changes.filter(isChange).map((change) => [`${change.resource} ${change.id}`, change]))
  const rows = [...last.values()]
  return {
    upserts: rows.flatMap(({ document, resource }) => (document === null ? [] : [rowOf(resource, document)])),
    deletions: rows.flatMap(({ document, id, resource }) => (document === null ? [{ resource, id }] : [])),
    position: nextPosition
  }
}

/** Brings a copy up to date, proves it by digests, and reads again only the ranges that differ. */
export const syncCopy = async (
  client: Feed,
  copy: Copy,
  { resources = ["products", "collections"], wait: firstWait = 0, ...options }: SyncOptions = {}
): Promise<Proof> => {
  const names = resources.join(",")
  const newest = async () => (await client.feed.listChanges({ resources: names }, options)).nextPosition
  let position = await copy.load()
  let repaired = 0

  /** Applies the changes up to the newest one. After 410 the digests find what the copy lacks. */
  const catchUp = async (seconds: number) => {
    const query = { include: "document", resources: names, limit: PAGE } as const
    let wait = seconds
    while (position !== undefined) {
      let page: FeedPage
      try {
        page = await client.feed.listChanges({ ...query, after: position, wait }, options)
      } catch (error) {
        if (!isGone(error)) throw error
        position = undefined
        break
      }
      wait = 0
      position = page.nextPosition
      await copy.save(toBatch(page))
      if (page.isLatest) return
    }
    position = await newest()
    await copy.save({ upserts: [], deletions: [], position })
  }

  /** Replaces the rows of a range, or all rows if the copy has none. */
  const replaceRows = async (resource: SyncResource, range: string | undefined, known: ReadonlyArray<string>) => {
    const missing = new Set(known)
    const query = { range, limit: PAGE }
    const pages =
      resource === "products" ? client.products.list(query, options) : client.collections.list(query, options)
    for await (const { items } of pages.pages()) {
      for (const { id } of items) missing.delete(id)
      await copy.save({ upserts: items.map((item) => rowOf(resource, item)), deletions: [], position: position ?? "" })
    }
    const deletions = [...missing].map((id) => ({ resource, id }))
    if (deletions.length > 0) await copy.save({ upserts: [], deletions, position: position ?? "" })
  }

  /** Ranges that differed in the previous round. */
  let differing = new Set<string>()
  await catchUp(firstWait)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const digests = []
    const found = new Set<string>()
    for (const resource of resources) {
      const { data } = await client.feed.getDigest(resource, options)
      const rows = [...(await copy.versions(resource))]
      const own = await digestRanges(rows)
      const ranges = data.ranges.filter(({ count, digest, range }) => {
        const mine = own.get(range) ?? { count: 0, high: 0, low: 0 }
        return mine.count !== count || hexOf(mine) !== digest
      })
      digests.push({ resource, count: data.count, digest: data.digest })
      for (const { range } of ranges) found.add(`${resource} ${range}`)
      if (rows.length === 0 && ranges.length > 1) {
        await replaceRows(resource, undefined, [])
        continue
      }
      // A range that differs once may have changed since the last read of the feed.
      for (const { range } of ranges.filter(({ range }) => differing.has(`${resource} ${range}`))) {
        const ids = rows.flatMap(({ id }) => (rangeOf(id) === range ? [id] : []))
        await replaceRows(resource, range, ids)
        repaired++
      }
    }
    if (found.size === 0) return { position: position ?? "", digests, repaired }
    differing = found
    await catchUp(0)
  }
  throw new Error(
    `The copy did not reach the digest of the store in ${MAX_ROUNDS} rounds; sync again when fewer rows change`
  )
}
