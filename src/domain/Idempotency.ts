import { Context, type Effect, type Option, Schema } from "effect"
import type { MerchantId } from "./access/Ids.ts"
import type { EventLoop } from "./Events.ts"
import type { DryRunResult } from "./DryRun.ts"
import type { Write, WriteContext } from "./Write.ts"

/** Hours for which a stored outcome is replayed (contract, section 8). */
export const RECORD_HOURS = 24

/** Size in bytes above which a response is large and counts against {@link MAX_LARGE_RESPONSES}. */
export const LARGE_RESPONSE = 16 * 1024

/** Maximum total bytes of stored large responses of an installation. The rate limit bounds the smaller ones. */
export const MAX_LARGE_RESPONSES = 256 * 1024 * 1024

/** 1 to 255 visible ASCII characters (docs/spec/idempotency.md). */
export const IdempotencyKey = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[!-~]{1,255}$/u)),
  Schema.brand("IdempotencyKey")
)
export type IdempotencyKey = typeof IdempotencyKey.Type

/** Idempotency key of a write and fingerprint of its request. Keys are unique for each actor. */
export interface KeyedRequest {
  readonly key: IdempotencyKey
  /** SHA-256 of everything that identifies the request. For HTTP: method, path with query, and canonical body. */
  readonly fingerprint: Uint8Array
}

/** Outcome of a write, as text that its surface encoded. It is stored, and replayed byte for byte. */
export interface Outcome {
  readonly text: string
  readonly replayed: boolean
  /** Effects of the write, for a dry run. */
  readonly dryRun?: DryRunResult
}

export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  override get message() {
    return "This Idempotency-Key was used with a different request; use a new key for a new operation"
  }
}

export class StoredResponsesFull extends Schema.TaggedError<StoredResponsesFull>()("StoredResponsesFull", {}) {
  override get message() {
    return `The stored responses of more than ${LARGE_RESPONSE / 1024} KiB of this installation have reached ${MAX_LARGE_RESPONSES / 1024 ** 2} MiB; they are stored for ${RECORD_HOURS} hours. Make writes with smaller responses, such as collections with fewer products, or repeat the request later`
  }
}

/**
 * Performs a write at most once for each key of an actor, despite retries, concurrent duplicates and crashes
 * (docs/spec/idempotency.md).
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Performs the write and stores the outcome that `encode` makes in one transaction, or replays the outcome of an
     * earlier request with this key and fingerprint.
     * Concurrent requests with one key wait for each other: all receive the outcome of the first one, or the next one
     * runs if it failed. A failed write leaves no record, so its key can be used again.
     *
     * A dry run always runs, even if its key has a stored outcome, and leaves no record: the real write can use the
     * same key. The method opens its own transaction and dies inside another one, because a rollback of the outer
     * transaction would discard an outcome that was already sent.
     *
     * Errors: `KeyReused` if the key belongs to a different request; `StoredResponsesFull` if an outcome of more than
     * {@link LARGE_RESPONSE} bytes would exceed {@link MAX_LARGE_RESPONSES}; `EventLoop`.
     */
    readonly once: <A, E>(
      context: WriteContext,
      keyed: KeyedRequest,
      write: Write<A, E>,
      encode: (value: A) => string
    ) => Effect.Effect<Outcome, E | KeyReused | StoredResponsesFull | EventLoop>
    /**
     * Returns the outcome of an earlier request with this key, if it was performed. For writes that prepare something
     * costly before `once`.
     */
    readonly find: (context: WriteContext, keyed: KeyedRequest) => Effect.Effect<Option.Option<Outcome>, KeyReused>
    /**
     * Same as `once` for data of an account that belongs to no store. Keys belong to the account. Writes no journal
     * entry and no event.
     */
    readonly onceForAccount: <A, E>(
      account: MerchantId,
      keyed: KeyedRequest,
      write: Write<A, E>,
      encode: (value: A) => string
    ) => Effect.Effect<Outcome, E | KeyReused | StoredResponsesFull>
    /** Same as `find` for data of an account. */
    readonly findForAccount: (
      account: MerchantId,
      keyed: KeyedRequest
    ) => Effect.Effect<Option.Option<Outcome>, KeyReused>
    /** Deletes one batch of expired records and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Idempotency") {}
