import { Context, type Effect, type Redacted, Schema } from "effect"
import { AppId } from "../access/Apps.ts"
import { Capability } from "../access/Capability.ts"
import { Scope } from "../access/Scope.ts"

/** What a client calls itself by: the id of an app, or what a client of agents registered as. It is no secret. */
export const ClientId = Schema.String.pipe(
  Schema.check(Schema.isMinLength(1)),
  Schema.check(Schema.isMaxLength(2048)),
  Schema.brand("ClientId")
)
export type ClientId = typeof ClientId.Type

/** A client that is an app, with all that it may be granted. */
const OfApp = Schema.TaggedStruct("App", {
  appId: Schema.toType(AppId),
  /** Null where an operator made the app. */
  developerName: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  capabilities: Schema.Array(Capability)
})

/** A client whose user wants an agent of the store. */
const OfAgent = Schema.TaggedStruct("AgentClient", {})

/** Who may ask merchants for access (RFC 6749, section 2). */
export const Client = Schema.Struct({
  clientId: ClientId,
  name: Schema.String,
  website: Schema.NullOr(Schema.String),
  logoUrl: Schema.NullOr(Schema.String),
  /** Where merchants may be sent back to. */
  redirectUris: Schema.Array(Schema.String),
  /** Whether it can keep no secret, as a program on somebody's own machine. */
  isPublic: Schema.Boolean,
  of: Schema.Union([OfApp, OfAgent])
})
export type Client = typeof Client.Type

/** How a client says who it is: by its secret, or as a public client by its id alone. */
export interface Credentials {
  readonly clientId: ClientId
  readonly secret: Redacted.Redacted | undefined
}

export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", {
  /** Of a client that a document describes, what is wrong with that. */
  reason: Schema.optional(Schema.String)
}) {
  override get message() {
    return (
      this.reason ??
      "There is no such client; client_id names an app as its developer sees it, or what an agent's client registered as"
    )
  }
}

/** The clients that merchants can be asked by. */
export class Clients extends Context.Service<
  Clients,
  {
    readonly find: (id: ClientId) => Effect.Effect<Client, UnknownClient>
  }
>()("domain/oauth/Clients") {}
