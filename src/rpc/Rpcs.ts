import { MemberRpcs, SessionRpcs, StoreRpcs } from "./Access.ts"
import { AgentRpcs } from "./Agents.ts"
import { CollectionRpcs, ProductRpcs } from "./Catalog.ts"
import { InventoryRpcs } from "./Inventory.ts"
import { MembershipRpcs } from "./Membership.ts"
import { CustomerRpcs, OrderRpcs } from "./Records.ts"
import { SearchRpcs } from "./Search.ts"

/** Every procedure of the second surface, for merchants who are signed in, and their agents. */
export const Rpcs = ProductRpcs.merge(
  SearchRpcs,
  CollectionRpcs,
  MembershipRpcs,
  InventoryRpcs,
  OrderRpcs,
  CustomerRpcs,
  AgentRpcs,
  StoreRpcs,
  MemberRpcs,
  SessionRpcs
)
