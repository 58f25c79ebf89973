import { Data } from "effect"
import type { Installation, InstallationId } from "./access/Installations.ts"
import type { StoreId } from "./Store.ts"

/** Who writes: an installed app, a merchant in the dashboard, or an AI agent acting for the merchant. */
export type Actor = Data.TaggedEnum<{
  App: {
    readonly storeId: StoreId
    readonly installationId: InstallationId
    /** How many deliveries in a row led to what it does now: 0 when it acts of its own accord. */
    readonly hops: number
  }
  Merchant: { readonly storeId: StoreId; readonly userId: string }
  Agent: { readonly storeId: StoreId; readonly agentId: string }
}>

export const Actor = Data.taggedEnum<Actor>()

export const app = ({ id, storeId }: Installation, hops: number): Actor =>
  Actor.App({ storeId, installationId: id, hops })
