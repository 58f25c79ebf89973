import { Context, type Effect } from "effect"
import type { Actor, MerchantId } from "./Actor.ts"
import type { JsonText } from "./Document.ts"
import type { EventId, EventLoop } from "./Events.ts"
import { ExactNumber, parse } from "./Json.ts"
import type { AdministeredKind, CatalogKind } from "./journal/Kinds.ts"
import type { StoreId } from "./Store.ts"

/** Through which surface a write came: `consent` is the page on which merchants let apps and agents in. */
export type Surface = "rest" | "rpc" | "mcp" | "cli" | "import" | "consent"

/** Who writes, where, and in answer to what. */
export interface WriteContext {
  readonly storeId: StoreId
  readonly actor: Actor
  readonly surface: Surface
  /** The event that this write answers, if it says so: the write counts a hop more than it. */
  readonly cause: EventId | null
  /** What names the request in the log of the service, if it was one. */
  readonly requestId?: string | undefined
  /** The merchant who approved what an agent proposed. The key is theirs. */
  readonly approvedBy?: MerchantId | undefined
  /** A rehearsal is decided and rolled back: nothing of it stays. */
  readonly mode: "perform" | "rehearse"
  /** Whether no event tells of it, as of the first load of a store. The journal does. */
  readonly isSilent?: boolean
}

/** A value that is JSON already. */
export class Encoded {
  readonly json: JsonText

  constructor(json: JsonText) {
    this.json = json
  }

  /** The value itself, for JSON that is made of what holds it. */
  toJSON(): unknown {
    const value = parse(this.json)
    return value instanceof ExactNumber ? value.toJSON() : value
  }
}

/** A resource at one of its versions: its JSON, and the members of it, of which those that are large may be encoded. */
export interface Snapshot {
  readonly json: JsonText
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a write did to a resource: its journal entry is made of this. */
interface ChangeOf {
  /** The id of the entry and of the event, which rises in the order of a store's commits. */
  readonly id: string
  readonly at: Date
  readonly resourceId: string
  /** The resource as it was and as it is, null where there is none. */
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  /** Why, in the words of who wrote, where they gave any. */
  readonly reason: string | null
  /** The entry of the journal that the change takes back, where it does. */
  readonly undoes?: string
  /** Of a product that was deleted: the manual collections that held it, as JSON, null where they are too many to keep. */
  readonly memberships?: JsonText | null
  /** Of the same: what it is called where it was imported from, if it was. */
  readonly externalId?: string | null
}

/** A change of a product or collection, of which its event is made, too. */
export interface CatalogChange extends ChangeOf {
  readonly resource: CatalogKind
  /** The version that the change made; of a deletion, the one that it ended. */
  readonly version: number
}

/** A change of what members administer. No event tells of it. */
export interface AdministeredChange extends ChangeOf {
  readonly resource: AdministeredKind
  readonly version: null
}

export type Change = CatalogChange | AdministeredChange

/** Takes the changes of a write. Each becomes an entry of the journal and, unless it is a deletion, an event. */
export class ChangeRecorder extends Context.Service<
  ChangeRecorder,
  {
    /** Records changes of one kind of resource. */
    readonly record: (changes: ReadonlyArray<Change>) => Effect.Effect<void>
  }
>()("domain/ChangeRecorder") {}

/**
 * A write. It runs in a transaction that `Idempotency.once` or `Writes.perform` opens, which also store its changes. A dry
 * run runs the same effect and rolls it back.
 */
export type Write<A, E = never> = Effect.Effect<A, E, ChangeRecorder>

/** Performs writes that carry no idempotency key, as operators and previews do. Surfaces call `Idempotency.once`. */
export class Writes extends Context.Service<
  Writes,
  {
    /**
     * Does all of the write or nothing, in a transaction of its own, or in the caller's, which then may go on after a
     * refusal. Fails with `EventLoop` where too many events in a row led to it.
     */
    readonly perform: <A, E>(context: WriteContext, write: Write<A, E>) => Effect.Effect<A, E | EventLoop>
  }
>()("domain/Writes") {}
