import { Layer } from "effect"
import { InstallationsLive } from "../access/Installations.ts"
import { AgentClientsLive } from "./AgentClients.ts"
import { ClientsLive } from "./Clients.ts"
import { ConsentsLive } from "./Consents.ts"
import { GrantsLive } from "./Grants.ts"
import { WritesLive } from "../Writes.ts"

/** How clients get in: who they are, what merchants agree to, and the codes and tokens that come of it. */
export const OauthLive = Layer.mergeAll(
  Layer.provideMerge(ClientsLive, AgentClientsLive),
  Layer.provide(ConsentsLive, Layer.merge(InstallationsLive, WritesLive)),
  GrantsLive
)
