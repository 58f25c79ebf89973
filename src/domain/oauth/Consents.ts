import { Context, type Effect, type Redacted } from "effect"
import type { Grants } from "../access/AccessRule.ts"
import type { AgentLimitReached, NewAgent } from "../access/Agents.ts"
import type { AppId, AppNotFound } from "../access/Apps.ts"
import type { CapabilitiesNotDeclared } from "../access/Capability.ts"
import type { ScopesNotDeclared } from "../access/Scope.ts"
import type { MerchantId } from "../Actor.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { ClientId, UnknownClient } from "./Clients.ts"
import type { Challenge } from "./Pkce.ts"

/** Who agreed, for which store, and to what request: the code is good for who can answer for all of that. */
export interface Consent {
  readonly merchantId: MerchantId
  readonly storeId: StoreId
  readonly clientId: ClientId
  /** As it was asked: where it is a loopback address, with its port. */
  readonly redirectUri: string
  readonly challenge: Challenge
  /** What the tokens are to be for, where the client said it (RFC 8707). */
  readonly resource: string | undefined
  /** What names the request in the log of the service. */
  readonly requestId: string
}

/** An app, and exactly what the page listed. */
export interface AgreedApp extends Grants {
  readonly appId: AppId
}

/** Days that an agent may be agreed to for, where it has an end. */
export const AGENT_DAYS = [1, 7, 30, 90] as const

/** An agent as the merchant wants it. */
export interface AgreedAgent extends NewAgent {
  /** Null until somebody revokes it. */
  readonly days: (typeof AGENT_DAYS)[number] | null
}

/** What merchants agree to. */
export class Consents extends Context.Service<
  Consents,
  {
    /**
     * Installs the app on the store, or gives the installation there is what was agreed to now, and answers a code for
     * it, good once and for 60 seconds. Who is no member of the store is refused as if there were none.
     */
    readonly install: (
      consent: Consent,
      app: AgreedApp
    ) => Effect.Effect<Redacted.Redacted, StoreNotFound | AppNotFound | ScopesNotDeclared | CapabilitiesNotDeclared>
    /**
     * Makes an agent of the store, one more for each time that a merchant agrees, and answers a code as above. From then on
     * the client is not forgotten.
     */
    readonly makeAgent: (
      consent: Consent,
      agent: AgreedAgent
    ) => Effect.Effect<Redacted.Redacted, StoreNotFound | AgentLimitReached | UnknownClient>
  }
>()("domain/oauth/Consents") {}
