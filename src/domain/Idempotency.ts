import { Context, type Effect, Schema } from "effect"
import type { MerchantId } from "./access/Ids.ts"
import type { EventLoop } from "./Events.ts"
import type { DryRunResult } from "./DryRun.ts"
import type { Write, WriteContext } from "./Write.ts"

/** Hours for which a stored response is replayed (contract, section 8). */
export const RECORD_HOURS = 24

/** Size in bytes above which a response is large and counts against {@link MAX_LARGE_ANSWERS}. */
export const LARGE_ANSWER = 16 * 1024

/** Maximum total bytes of stored large responses of an installation. The rate limit bounds the smaller ones. */
export const MAX_LARGE_ANSWERS = 256 * 1024 * 1024

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

/** Response of a write. It is stored, and replayed byte for byte. */
export interface StoredResponse {
  readonly status: number
  readonly body: string
  readonly etag: string | null
}

export interface Outcome extends StoredResponse {
  readonly replayed: boolean
  /** Effects of the write, for a dry run. */
  readonly dryRun?: DryRunResult
}

export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  override get message() {
    return "This Idempotency-Key was used with a different request; use a new key for a new operation"
  }
}

export class AnswersFull extends Schema.TaggedError<AnswersFull>()("AnswersFull", {}) {
  override get message() {
    return `The stored responses of more than ${LARGE_ANSWER / 1024} KiB of this installation have reached ${MAX_LARGE_ANSWERS / 1024 ** 2} MiB; they are stored for ${RECORD_HOURS} hours. Make writes with smaller responses, such as collections with fewer products, or repeat the request later`
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
     * Performs the write and stores the response built by `respond` in one transaction, or replays the response of an
     * earlier request with this key and fingerprint.
     * Concurrent requests with one key wait for each other: all receive the response of the first one, or the next one
     * runs if it failed. A failed write leaves no record, so its key can be used again.
     *
     * A dry run always runs, even if its key has a stored response, and leaves no record: the real write can use the
     * same key. The method opens its own transaction and dies inside another one, because a rollback of the outer
     * transaction would discard a response that was already sent.
     *
     * Errors: `KeyReused` if the key belongs to a different request; `AnswersFull` if a response of more than
     * {@link LARGE_ANSWER} bytes would exceed {@link MAX_LARGE_ANSWERS}; `EventLoop`.
     */
    readonly once: <A, E>(
      context: WriteContext,
      keyed: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ) => Effect.Effect<Outcome, E | KeyReused | AnswersFull | EventLoop>
    /**
     * Same as `once` for data of an account that belongs to no store. Keys belong to the account. Writes no journal
     * entry and no event.
     */
    readonly onceOf: <A, E>(
      account: MerchantId,
      keyed: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ) => Effect.Effect<Outcome, E | KeyReused | AnswersFull>
    /** Deletes one batch of expired records and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Idempotency") {}
