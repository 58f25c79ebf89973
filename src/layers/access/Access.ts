import { Layer } from "effect"
import { AgentsLive } from "./Agents.ts"
import { AppsLive } from "./Apps.ts"
import { DevelopersLive } from "./Developers.ts"
import { InstallationsLive } from "./Installations.ts"
import { MerchantsLive } from "./Merchants.ts"
import { ProposalsLive } from "./Proposals.ts"
import { SessionsLive } from "./Sessions.ts"
import { StoresLive } from "./Stores.ts"
import { TokensLive } from "./Tokens.ts"

/** Who may ask for what: stores, apps and their developers, the installations of the one on the other, and their tokens;
 * merchants and their sessions, agents and what these propose. */
export const AccessLive = Layer.mergeAll(
  AgentsLive,
  AppsLive,
  DevelopersLive,
  InstallationsLive,
  MerchantsLive,
  ProposalsLive,
  SessionsLive,
  StoresLive,
  TokensLive
)
