import type { DryRunEffects } from "./generated/Resources.ts"

/* Options and results of the calls of every resource. */

/** The options of every call. */
export interface CallOptions {
  /** Cancels the call, which rejects with the reason of the signal. A sent write can still take effect. */
  readonly signal?: AbortSignal | undefined
  /** The request id in the service's log. Default: a new UUID. */
  readonly requestId?: string | undefined
}

/** The options of every write. */
export interface WriteOptions extends CallOptions {
  /**
   * Identifies the operation. The service runs it once, and a repeat within 24 hours returns the stored response. 1 to 255
   * visible ASCII characters. Default: a new UUID, which the client keeps for its retries.
   */
  readonly idempotencyKey?: string | undefined
  /** Returns the result without storing it, as a {@link DryRunAnswer}. */
  readonly dryRun?: false | undefined
}

/** The options of a write with a body. */
export interface CreateOptions extends WriteOptions {
  /** Refuses unknown and read-only fields with 400 instead of ignoring them. */
  readonly strict?: boolean | undefined
  /** The id of the event that caused this write. The service uses it to stop loops between apps. */
  readonly eventId?: string | undefined
}

/** The options of a deletion. */
export interface DeleteOptions extends WriteOptions {
  /**
   * The version to replace, `product.version` or the `etag` of a response. Fails with 412 if the resource has another
   * version.
   */
  readonly ifMatch?: number | string | undefined
}

/** The options of an update. */
export interface UpdateOptions extends CreateOptions, DeleteOptions {}

/** The options of a dry run of a write. It returns the result and stores nothing. */
export type DryRun<Options extends WriteOptions> = Omit<Options, "dryRun"> & { readonly dryRun: true }

interface Identified {
  /** The request id in the service's log. */
  readonly requestId: string
}

/** The result of a call. */
export interface Answer<Data> extends Identified {
  readonly data: Data
  /** The entity tag of this version, for `ifMatch`. Undefined if the resource has no version. */
  readonly etag: string | undefined
  /** True if the response was stored by an earlier call with the same `idempotencyKey`. */
  readonly isReplayed: boolean
}

/** The result of a dry run: the resource as the write would return it, and the effects of the write. */
export interface DryRunAnswer<Data> extends DryRunEffects, Identified {
  readonly data: Data
}

/** A page of a list. */
export interface Page<Item> extends Identified {
  readonly items: ReadonlyArray<Item>
  /** The `cursor` of the next page; null only on the last page. */
  readonly nextCursor: string | null
}

/** A page of a search. */
export interface SearchPage<Item> extends Page<Item> {
  /** The number of all matches; null if they are more than the service counts. */
  readonly total: number | null
}

/**
 * A list. It sends no request until it is iterated or a page is read.
 *
 * @example
 * for await (const product of client.products.list()) console.log(product.name)
 *
 * const { items, nextCursor } = await client.products.list({ limit: 10 }).page()
 */
export interface Listing<Item, ItemPage = Page<Item>> extends AsyncIterable<Item> {
  /** Reads one page. */
  readonly page: () => Promise<ItemPage>
  /** Iterates over the pages, to the end of the list. */
  readonly pages: () => AsyncIterable<ItemPage>
}

/** A list of matches, whose pages have their number. */
export interface SearchListing<Item> extends Listing<Item, SearchPage<Item>> {}

/** Makes the list whose pages `page` reads, from the cursor `first` on. */
export const makeListing = <Item, ItemPage extends Page<Item>>(
  first: string | null | undefined,
  page: (cursor: string | null | undefined) => Promise<ItemPage>
): Listing<Item, ItemPage> => {
  const pages = async function* () {
    for (let cursor = first; ;) {
      const next = await page(cursor)
      yield next
      if (next.nextCursor === null) return
      cursor = next.nextCursor
    }
  }
  return {
    page: () => page(first),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items
    }
  }
}
