import { Data, Schema } from "effect"
import type { InstallationId } from "./access/Installations.ts"
import { Uuid } from "./Uuid.ts"

export const MerchantId = Uuid.pipe(Schema.brand("MerchantId"))
export type MerchantId = typeof MerchantId.Type

/** Merchant that operator writes and imports are attributed to. This account cannot sign in. */
export const IMPORTER = MerchantId.make("00000000-0000-7000-8000-000000000001")

export const AgentId = Uuid.pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

/** Author of a write: an installed app, a merchant in the dashboard, or an AI agent acting for the merchant. */
export type Actor = Data.TaggedEnum<{
  App: { readonly id: InstallationId }
  Merchant: { readonly id: MerchantId }
  Agent: { readonly id: AgentId }
}>

export const Actor = Data.taggedEnum<Actor>()
