import { Context, Effect } from "effect"
import type { MerchantId } from "./access/Ids.ts"
import type { Actor } from "./Actor.ts"
import type { Product } from "./catalog/Product.ts"
import type { JsonText } from "./json/Document.ts"
import type { EventId, EventLoop } from "./Events.ts"
import type { AdministeredKind, CatalogKind } from "./journal/Kinds.ts"
import type { StoreId } from "./Store.ts"

/** Surface through which a write came. `consent` is the page on which merchants authorize apps and agents. */
export type Surface = "rest" | "rpc" | "mcp" | "cli" | "import" | "consent"

/** Author, store and cause of a write. */
export interface WriteContext {
  readonly storeId: StoreId
  readonly actor: Actor
  readonly surface: Surface
  /** Event that caused this write, if the client named one. The write has one hop more than the event. */
  readonly cause: EventId | null
  /** Id of the request in the log of the service. */
  readonly requestId?: string | undefined
  /** Merchant who approved the proposal of an agent. The idempotency key belongs to this merchant. */
  readonly approvedBy?: MerchantId | undefined
  /** `dryRun`: the write runs and is rolled back. */
  readonly mode: "perform" | "dryRun"
  /** Change set that the write is part of. */
  readonly changeSetId?: string | undefined
  /** True if the write sends no events, as for the initial import of a store. The journal still records it. */
  readonly isSilent?: boolean
}

/** Value that is already encoded as JSON. */
export class Encoded {
  readonly json: JsonText

  constructor(json: JsonText) {
    this.json = json
  }

  /** Returns the decoded value, for JSON built from an object that contains it. */
  toJSON(): unknown {
    return JSON.parse(this.json)
  }
}

/** Resource at one version: its JSON and its members. Large members may be `Encoded`. */
export interface Snapshot {
  readonly json: JsonText
  readonly fields: Readonly<Record<string, unknown>>
  /** The decoded product, if the resource is one. */
  readonly product?: Product
}

/** Change of a resource, from which its journal entry is built. */
interface ChangeOf {
  /** Id of the entry and of the event. Ids ascend in commit order within a store. */
  readonly id: string
  readonly at: Date
  readonly resourceId: string
  /** States before and after the change; null if the resource did not exist or was deleted. */
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  /** Reason given by the author. */
  readonly reason: string | null
  /** Journal entry that this change undoes. */
  readonly undoes?: string
  /** For a deleted product: the manual collections that contained it, as JSON; null if they are too many to store. */
  readonly memberships?: JsonText | null
  /** For a deleted product: its id in the system that it was imported from. */
  readonly externalId?: string | null
}

/** Change of a product or collection, from which its event is built too. */
export interface CatalogChange extends ChangeOf {
  readonly resource: CatalogKind
  /** Version that the change created; for a deletion, the last version. */
  readonly version: number
}

/** Change of a resource that store members administer. It causes no event. */
export interface AdministeredChange extends ChangeOf {
  readonly resource: AdministeredKind
  readonly version: null
}

export type Change = CatalogChange | AdministeredChange

/** Collects the changes of a write. Each becomes a journal entry and, except for deletions, an event. */
export class ChangeRecorder extends Context.Service<
  ChangeRecorder,
  {
    /** Records changes of one kind of resource. */
    readonly record: (changes: ReadonlyArray<Change>) => Effect.Effect<void>
  }
>()("domain/ChangeRecorder") {}

/**
 * Write that runs in a transaction opened by `Idempotency.once` or `Writes.perform`, which also store its changes. A
 * dry run runs the same effect and rolls it back.
 */
export type Write<A, E = never> = Effect.Effect<A, E, ChangeRecorder>

/** Gives a reason to the changes of a write that have none. */
export const withReason = <A, E>(write: Write<A, E>, reason: string | null): Write<A, E> =>
  reason === null
    ? write
    : Effect.updateService(write, ChangeRecorder, ({ record }) => ({
        record: (changes) => record(changes.map((change) => ({ ...change, reason: change.reason ?? reason })))
      }))

/** Performs writes without an idempotency key, for operators and previews. API surfaces call `Idempotency.once`. */
export class Writes extends Context.Service<
  Writes,
  {
    /**
     * Performs the whole write or nothing: in its own transaction, or inside the caller's, which can continue after a
     * failure. Fails with `EventLoop` if more than `MAX_HOPS` events led to the write.
     */
    readonly perform: <A, E>(context: WriteContext, write: Write<A, E>) => Effect.Effect<A, E | EventLoop>
  }
>()("domain/Writes") {}
