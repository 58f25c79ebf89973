import { Context, type Effect, Schema } from "effect"
import type { Client, ClientId, UnknownClient } from "./Clients.ts"
import type { Described } from "./ClientMetadata.ts"

/** Hours that a client is kept for which nobody has agreed to. */
export const WAITING_HOURS = 24

/** Clients that nobody has agreed to, at most: one more, and the one that would go first goes. */
export const MAX_WAITING = 5_000

/** Registrations from one address in 15 minutes; the addresses of an IPv6 network of 64 bits count as one. */
export const MAX_REGISTRATIONS = 60

export class TooManyRegistrations extends Schema.TaggedError<TooManyRegistrations>()("TooManyRegistrations", {
  retryAfter: Schema.Int
}) {
  override get message() {
    return `Too many clients registered from this address; wait ${Math.ceil(this.retryAfter / 60)} minutes, or use a client_id that is the https URL of a document`
  }
}

/** The clients that merchants meet agents through: each is what it says of itself, and gets no secret. */
export class AgentClients extends Context.Service<
  AgentClients,
  {
    /** A new client (RFC 7591). It is forgotten if no merchant agrees to it within a day. */
    readonly register: (client: Described, address: string) => Effect.Effect<ClientId, TooManyRegistrations>
    /** A client that registered, or that the document its id is the address of describes: that is read anew in time. */
    readonly find: (id: ClientId) => Effect.Effect<Client, UnknownClient>
    /** Forgets those whose time is over, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/oauth/AgentClients") {}
