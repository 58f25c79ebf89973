import { Context, type DateTime, type Effect, type Redacted, Schema } from "effect"
import type { InstallationId } from "./Ids.ts"
import type { Installation, InstallationNotFound, InstallationSuspended } from "./Installations.ts"

/** Bearer token in clear text, shown once. Only its SHA-256 is stored. */
export interface AccessToken {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {
  override get message() {
    return "The bearer token is missing, invalid or expired"
  }
}

/** Bearer tokens of installations. */
export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * Issues an access token of 256 random bits, valid for one hour by the clock of the database (docs/oauth.md).
     */
    readonly issue: (
      installation: Pick<Installation, "id" | "storeId">
    ) => Effect.Effect<AccessToken, InstallationNotFound | InstallationSuspended>
    /**
     * Revokes all tokens of an installation and returns how many were still valid. After the commit, they are rejected
     * with 401.
     */
    readonly revoke: (id: InstallationId) => Effect.Effect<number, InstallationNotFound>
    /** Deletes one batch of expired access tokens and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Tokens") {}
