import { Context, type Effect, Schema } from "effect"
import type { MerchantId } from "./Actor.ts"
import type { EventLoop } from "./Events.ts"
import type { Rehearsal } from "./Rehearsal.ts"
import type { Write, WriteContext } from "./Write.ts"

/** Hours a stored response is replayed (contract, section 8). */
export const RECORD_HOURS = 24

/** An answer of more bytes is a large one, and counts against {@link MAX_LARGE_ANSWERS}. */
export const LARGE_ANSWER = 16 * 1024

/** Bytes of the large answers that are kept for an installation at once. The rolling window bounds the others. */
export const MAX_LARGE_ANSWERS = 256 * 1024 * 1024

/** 1 to 255 visible ASCII characters (decisions, section 5). */
export const IdempotencyKey = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[!-~]{1,255}$/u)),
  Schema.brand("IdempotencyKey")
)
export type IdempotencyKey = typeof IdempotencyKey.Type

/** Under which key a write is done, and what was asked with it. A key belongs to the actor. */
export interface Keyed {
  readonly key: IdempotencyKey
  /** SHA-256 of all that tells this request from another: over HTTP method, path with query, and canonical body. */
  readonly fingerprint: Uint8Array
}

/** What a write answers with, as it is stored and replayed, byte for byte. */
export interface StoredResponse {
  readonly status: number
  readonly body: string
  readonly etag: string | null
}

export interface Outcome extends StoredResponse {
  readonly replayed: boolean
  /** Of a write that was only rehearsed: what it would lead to. */
  readonly rehearsal?: Rehearsal
}

export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  override get message() {
    return "This Idempotency-Key was used with a different request; use a new key for a new operation"
  }
}

export class AnswersFull extends Schema.TaggedError<AnswersFull>()("AnswersFull", {}) {
  override get message() {
    return `The answers to this installation's writes are kept for ${RECORD_HOURS} hours, to be replayed, and those of more than ${LARGE_ANSWER / 1024} KiB have reached ${MAX_LARGE_ANSWERS / 1024 ** 2} MiB. Write what has a smaller answer, as a collection of fewer products does, or repeat the request later`
  }
}

/** At most one effect for each key of an actor, whatever is retried, doubled or killed (decisions, section 5). */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Performs the write in one transaction with the record of its answer, which `respond` makes, or answers what an
     * earlier request with this key and fingerprint got. Requests with one key wait for each other: what the first one did
     * is what all are answered with, and when it failed the next one is performed. A write that is refused leaves nothing
     * behind, so that its key may be tried again. An answer of more than {@link LARGE_ANSWER} that would take more than
     * {@link MAX_LARGE_ANSWERS} fails with `AnswersFull`. A rehearsal is decided anew whatever was answered under its key,
     * and leaves no record: the write itself may come with the same key. It opens the transaction itself and dies inside of another, where
     * what is rolled back later would stay answered.
     */
    readonly once: <A, E>(
      context: WriteContext,
      keyed: Keyed,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ) => Effect.Effect<Outcome, E | KeyReused | AnswersFull | EventLoop>
    /** The same of what is an account's own and in no store. Its key belongs to the account; no journal or event tells of it. */
    readonly onceOf: <A, E>(
      account: MerchantId,
      keyed: Keyed,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ) => Effect.Effect<Outcome, E | KeyReused | AnswersFull>
    /** Deletes expired records, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Idempotency") {}
