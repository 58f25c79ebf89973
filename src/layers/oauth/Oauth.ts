import { Layer } from "effect"
import { InstallationsLive } from "../access/Installations.ts"
import { AgentClientsLive } from "./AgentClients.ts"
import { ClientsLive } from "./Clients.ts"
import { ConsentsLive } from "./Consents.ts"
import { GrantsLive } from "./Grants.ts"
import { WritesLive } from "../Writes.ts"

/** OAuth clients, consents, and the grants with their codes and tokens. */
export const OauthLive = Layer.mergeAll(
  Layer.provideMerge(ClientsLive, AgentClientsLive),
  Layer.provide(ConsentsLive, Layer.merge(InstallationsLive, WritesLive)),
  GrantsLive
)
