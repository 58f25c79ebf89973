import { Context, type Effect, Schema } from "effect"
import type { InstallationId } from "./access/Installations.ts"
import type { StoreId } from "./Store.ts"

/** Hours a stored response is replayed (contract, section 8). */
export const RECORD_HOURS = 24

/** An answer of more bytes is a large one, and counts against {@link MAX_LARGE_ANSWERS}. */
export const LARGE_ANSWER = 16 * 1024

/** Bytes of the large answers that are kept for an installation at once. The rolling window bounds the others. */
export const MAX_LARGE_ANSWERS = 256 * 1024 * 1024

/** 1 to 255 visible ASCII characters (decisions, section 5). */
export const IdempotencyKey = Schema.String.pipe(Schema.pattern(/^[!-~]{1,255}$/), Schema.brand("IdempotencyKey"))
export type IdempotencyKey = typeof IdempotencyKey.Type

/** One write of one client: whose key it is, and what was asked with it. */
export interface KeyedRequest {
  readonly storeId: StoreId
  readonly installationId: InstallationId
  readonly key: IdempotencyKey
  /** SHA-256 of method, path with query, and canonical body. */
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

/** At most one effect for each key of an installation, whatever is retried, doubled or killed (decisions, section 5). */
export class Idempotency extends Context.Tag("domain/Idempotency")<
  Idempotency,
  {
    /**
     * Runs `operation` in the one transaction that also holds its record, or replays what an earlier request with this
     * key and fingerprint got. A request whose key is in flight waits for the first, and runs if that one fails.
     * What an answer of more than {@link LARGE_ANSWER} would take beyond {@link MAX_LARGE_ANSWERS} fails with
     * `AnswersFull`. A failing operation leaves nothing behind, so that its key may be tried again. Before a replay the operation may
     * have been begun and rolled back, so it must do nothing but write to the database; for the same reason this opens
     * its transaction itself, and is not for the inside of another.
     */
    readonly once: <E>(
      request: KeyedRequest,
      operation: Effect.Effect<StoredResponse, E>
    ) => Effect.Effect<Outcome, E | KeyReused | AnswersFull>
    /** Deletes expired records, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>() {}
