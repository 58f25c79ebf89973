import { Agents } from "../../src/domain/access/Agents.ts"
import { Proposals } from "../../src/domain/access/Proposals.ts"
import { Sessions } from "../../src/domain/access/Sessions.ts"
import { Tokens } from "../../src/domain/access/Tokens.ts"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { AgentClients } from "../../src/domain/oauth/AgentClients.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { AppData } from "../../src/domain/records/AppData.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"

/** Who purges what. */
export const PURGED = {
  records: Idempotency,
  tokens: Tokens,
  grants: Grants,
  clients: AgentClients,
  sessions: Sessions,
  proposals: Proposals,
  agents: Agents,
  deliveries: Webhooks,
  // Where no delivery is left to purge.
  events: Webhooks,
  entries: AppData
}
