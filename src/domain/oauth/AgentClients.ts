import { Context, type Effect, Schema } from "effect"
import type { Client, ClientId, UnknownClient } from "./Clients.ts"
import type { StoredMetadata } from "./ClientMetadata.ts"

/** Hours after which a client without an approval is deleted. */
export const WAITING_HOURS = 24

/** Maximum number of clients without an approval. A further registration deletes the one that would expire first. */
export const MAX_WAITING = 5_000

/**
 * Maximum number of registrations from one address in 15 minutes. All addresses of an IPv6 /64 network count as one.
 */
export const MAX_REGISTRATIONS = 60

export class TooManyRegistrations extends Schema.TaggedError<TooManyRegistrations>()("TooManyRegistrations", {
  retryAfter: Schema.Int
}) {
  override get message() {
    return `Too many clients registered from this address; wait ${Math.ceil(this.retryAfter / 60)} minutes, or use the https URL of a client metadata document as client_id`
  }
}

/** OAuth clients through which merchants create agents. They describe themselves and have no secret. */
export class AgentClients extends Context.Service<
  AgentClients,
  {
    /** Registers a client (RFC 7591). It is deleted if no merchant approves it within {@link WAITING_HOURS} hours. */
    readonly register: (client: StoredMetadata, address: string) => Effect.Effect<ClientId, TooManyRegistrations>
    /**
     * Returns a registered client, or the client described by the document at its id, which is reloaded when it is
     * stale.
     */
    readonly find: (id: ClientId) => Effect.Effect<Client, UnknownClient>
    /** Deletes one batch of expired clients and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/oauth/AgentClients") {}
