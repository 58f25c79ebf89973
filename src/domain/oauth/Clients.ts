import { Context, type Effect, type Redacted, Schema } from "effect"
import { AppId } from "../access/Ids.ts"
import { Capability } from "../access/Capability.ts"
import { Scope } from "../access/Scope.ts"

/**
 * Client id: the id of an app, or the id of a registered or document-based agent client. It is not secret. Its characters
 * are those of RFC 6749, appendix A.1.
 */
export const ClientId = Schema.String.pipe(Schema.check(Schema.isPattern(/^[ -~]{1,2048}$/)), Schema.brand("ClientId"))
export type ClientId = typeof ClientId.Type

/** Client of an app, with the maximum grants. */
const OfApp = Schema.TaggedStruct("App", {
  appId: Schema.toType(AppId),
  /** Null if an operator created the app. */
  developerName: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  capabilities: Schema.Array(Capability)
})

/** Client whose user requests an agent of the store. */
const OfAgent = Schema.TaggedStruct("AgentClient", {})

/** OAuth client (RFC 6749, section 2). */
export const Client = Schema.Struct({
  clientId: ClientId,
  name: Schema.String,
  website: Schema.NullOr(Schema.String),
  logoUrl: Schema.NullOr(Schema.String),
  /** Registered redirect URIs. */
  redirectUris: Schema.Array(Schema.String),
  /** True if the client cannot keep a secret, such as a program on a user's machine. */
  isPublic: Schema.Boolean,
  of: Schema.Union([OfApp, OfAgent])
})
export type Client = typeof Client.Type

/** Client authentication: a secret, or only the id of a public client. */
export interface Credentials {
  readonly clientId: ClientId
  readonly secret: Redacted.Redacted | undefined
}

export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", {
  /** Problem of the client metadata document, if the client has one. */
  reason: Schema.optional(Schema.String)
}) {
  override get message() {
    return (
      this.reason ??
      "The client is unknown; client_id must be the id of an app or registered client, or the URL of a client metadata document"
    )
  }
}

/** Registered OAuth clients. */
export class Clients extends Context.Service<
  Clients,
  {
    readonly find: (id: ClientId) => Effect.Effect<Client, UnknownClient>
  }
>()("domain/oauth/Clients") {}
