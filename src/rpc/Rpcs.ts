import { MemberRpcs, SessionRpcs, StoreRpcs } from "./Access.ts"
import { AgentRpcs } from "./Agents.ts"
import { CollectionRpcs, ProductRpcs } from "./Catalog.ts"
import { ProposalRpcs } from "./Proposals.ts"

/** Every procedure of the second surface, for merchants who are signed in, and their agents. */
export const Rpcs = ProductRpcs.merge(CollectionRpcs, StoreRpcs, MemberRpcs, SessionRpcs, AgentRpcs, ProposalRpcs)
