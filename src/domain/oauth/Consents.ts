import { Context, type Effect, type Redacted } from "effect"
import type { Grants } from "../access/AccessRule.ts"
import type { AgentLimitReached, NewAgent } from "../access/Agents.ts"
import type { AppId, MerchantId } from "../access/Ids.ts"
import type { AppNotFound } from "../access/Apps.ts"
import type { CapabilitiesNotDeclared } from "../access/Capability.ts"
import type { ScopesNotDeclared } from "../access/Scope.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { ClientId, UnknownClient } from "./Clients.ts"
import type { Challenge } from "./Pkce.ts"

/** Approval of a request by a merchant for a store. A code is valid only for a client that matches all fields. */
export interface Consent {
  readonly merchantId: MerchantId
  readonly storeId: StoreId
  readonly clientId: ClientId
  /** Redirect URI as requested, including the port of a loopback address. */
  readonly redirectUri: string
  readonly challenge: Challenge
  /** Resource that the tokens are for, if the client named one (RFC 8707). */
  readonly resource: string | undefined
  /** Id of the request in the log of the service. */
  readonly requestId: string
}

/** App and exactly the grants shown on the page. */
export interface ApprovedApp extends Grants {
  readonly appId: AppId
}

/** Lifetimes in days that a merchant can choose for an agent. */
export const AGENT_DAYS = [1, 7, 30, 90] as const

/** Agent with the settings that the merchant chose. */
export interface ApprovedAgent extends NewAgent {
  /** Null for no expiry. */
  readonly days: (typeof AGENT_DAYS)[number] | null
}

/** Approvals of merchants. */
export class Consents extends Context.Service<
  Consents,
  {
    /**
     * Installs the app on the store, or updates the grants of its installation, and returns a code that is valid once,
     * for `CODE_SECONDS` seconds. A merchant who is not a member of the store gets `StoreNotFound`.
     */
    readonly install: (
      consent: Consent,
      app: ApprovedApp
    ) => Effect.Effect<Redacted.Redacted, StoreNotFound | AppNotFound | ScopesNotDeclared | CapabilitiesNotDeclared>
    /**
     * Creates an agent of the store, a new one for each approval, and returns a code as above. The client is kept
     * permanently from then on.
     */
    readonly makeAgent: (
      consent: Consent,
      agent: ApprovedAgent
    ) => Effect.Effect<Redacted.Redacted, StoreNotFound | AgentLimitReached | UnknownClient>
  }
>()("domain/oauth/Consents") {}
