import { Layer } from "effect"
import { AppsLive } from "./Apps.ts"
import { InstallationsLive } from "./Installations.ts"
import { StoresLive } from "./Stores.ts"
import { TokensLive } from "./Tokens.ts"

/** Who may ask for what: stores, apps, the installations of the one on the other, and their tokens. */
export const AccessLive = Layer.mergeAll(AppsLive, InstallationsLive, StoresLive, TokensLive)
