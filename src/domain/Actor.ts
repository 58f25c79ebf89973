import { Data } from "effect"
import { type AgentId, type InstallationId, MerchantId } from "./access/Ids.ts"

/** Merchant that operator writes and imports are attributed to. This account cannot sign in. */
export const IMPORTER = MerchantId.make("00000000-0000-7000-8000-000000000001")

/** Author of a write: an installed app, a merchant in the dashboard, or an AI agent acting for the merchant. */
export type Actor = Data.TaggedEnum<{
  App: { readonly id: InstallationId }
  Merchant: { readonly id: MerchantId }
  Agent: { readonly id: AgentId }
}>

export const Actor = Data.taggedEnum<Actor>()
