import { Context, type DateTime, type Effect, type Redacted, Schema } from "effect"
import type { Installation, InstallationId, InstallationNotFound, InstallationSuspended } from "./Installations.ts"

/** A bearer token in clear, shown once: only its SHA-256 is kept. */
export interface AccessToken {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {
  override get message() {
    return "The bearer token is missing, invalid or expired"
  }
}

/** The bearer tokens that installations carry. */
export class Tokens extends Context.Service<
  Tokens,
  {
    /** A new access token of 256 random bits, good for an hour by the database's clock (decisions, section 7). */
    readonly issue: (
      installation: Pick<Installation, "id" | "storeId">
    ) => Effect.Effect<AccessToken, InstallationNotFound | InstallationSuspended>
    /** From its commit on, every token that the installation has is refused with 401. Answers how many were still good. */
    readonly revoke: (id: InstallationId) => Effect.Effect<number, InstallationNotFound>
    /** Deletes access tokens that have expired, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Tokens") {}
