import { Layer } from "effect"
import { WritesLive } from "../Writes.ts"
import { AccountLinksLive } from "./AccountLinks.ts"
import { AgentsLive } from "./Agents.ts"
import { AppsLive } from "./Apps.ts"
import { DevelopersLive } from "./Developers.ts"
import { InstallationsLive } from "./Installations.ts"
import { MerchantsLive } from "./Merchants.ts"
import { PresenceLive } from "./Presence.ts"
import { ProposalsLive } from "./Proposals.ts"
import { SessionsLive } from "./Sessions.ts"
import { StoresLive } from "./Stores.ts"
import { TokensLive } from "./Tokens.ts"

/** Stores, apps and their installations with tokens; merchants with sessions; agents with proposals. */
export const AccessLive = Layer.mergeAll(
  Layer.provide(AccountLinksLive, WritesLive),
  AgentsLive,
  AppsLive,
  DevelopersLive,
  InstallationsLive,
  MerchantsLive,
  PresenceLive,
  ProposalsLive,
  SessionsLive,
  StoresLive,
  TokensLive
)
