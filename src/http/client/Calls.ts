import type { Rehearsal } from "./generated/Resources.ts"

/* What calls of every resource are made with, and answered with. */

/** What any call may be made with. */
export interface CallOptions {
  /** Gives the call up: it rejects with the reason of the signal. A write that is under way may still happen. */
  readonly signal?: AbortSignal | undefined
  /** What the call is named in the log of the service: a new UUID when left out. */
  readonly requestId?: string | undefined
}

/** What a write may be made with. */
export interface WriteOptions extends CallOptions {
  /**
   * One for each operation that is meant, kept over its repeats: the service does it once, and answers a repeat within 24
   * hours with the stored answer. A new UUID when left out, which the client keeps over its own repeats. 1 to 255 visible
   * ASCII characters.
   */
  readonly idempotencyKey?: string | undefined
  /** Only decides: see the answer of a dry run. */
  readonly dryRun?: false | undefined
}

/** What a write that has a body may be made with. */
export interface CreateOptions extends WriteOptions {
  /** Fields that are unknown or cannot be set are refused with 400, instead of being ignored. */
  readonly strict?: boolean | undefined
  /** The id of the event that this write answers: apps that answer each other without end are stopped. */
  readonly eventId?: string | undefined
}

/** What a deletion may be made with. */
export interface DeleteOptions extends WriteOptions {
  /**
   * The version that the write may replace, as in `product.version`, or the `etag` of an answer: refused with 412 when
   * the resource has another by now.
   */
  readonly ifMatch?: number | string | undefined
}

/** What a change of something that there is may be made with. */
export interface UpdateOptions extends CreateOptions, DeleteOptions {}

/** The options of a write, for a dry run of it: it is decided and answered as it would be, and nothing is kept. */
export type DryRun<Options extends WriteOptions> = Omit<Options, "dryRun"> & { readonly dryRun: true }

interface Told {
  /** What the call is named in the log of the service. */
  readonly requestId: string
}

/** What a call is answered with. */
export interface Answer<Data> extends Told {
  readonly data: Data
  /** The tag of this version, for `ifMatch`; undefined for what has no version. */
  readonly etag: string | undefined
  /** Whether this is the stored answer to an earlier call with the same `idempotencyKey`. */
  readonly isReplayed: boolean
}

/** What a dry run is answered with: the resource as the write would answer it, and what it would lead to. */
export interface Rehearsed<Data> extends Rehearsal, Told {
  readonly data: Data
}

/** A page of a list. */
export interface Page<Item> extends Told {
  readonly items: ReadonlyArray<Item>
  /** The `cursor` of the next page; null exactly when there is no further item. */
  readonly nextCursor: string | null
}

/**
 * A list, of which nothing is asked yet.
 *
 * @example
 * for await (const product of client.products.list()) console.log(product.name)
 *
 * const { items, nextCursor } = await client.products.list({ limit: 10 }).page()
 */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** The page that was asked for, alone. */
  readonly page: () => Promise<Page<Item>>
  /** Page after page, to the end of the list. */
  readonly pages: () => AsyncIterable<Page<Item>>
}
