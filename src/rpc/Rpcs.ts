import { MemberRpcs, SessionRpcs, StoreRpcs } from "./Access.ts"
import { AccountRpcs } from "./Account.ts"
import { ActivityRpcs } from "./Activity.ts"
import { AgentRpcs } from "./Agents.ts"
import { BillingRpcs } from "./Billing.ts"
import { CollectionRpcs, ProductRpcs } from "./Catalog.ts"
import { AppDeliveryRpcs, AppRpcs, AppWebhookRpcs } from "./Developers.ts"
import { InstallationRpcs } from "./Installations.ts"
import { InventoryRpcs } from "./Inventory.ts"
import { MembershipRpcs } from "./Membership.ts"
import { ProposalRpcs } from "./Proposals.ts"
import { CustomerRpcs, OrderRpcs } from "./Records.ts"
import { SearchRpcs } from "./Search.ts"
import { SummaryRpcs } from "./Summaries.ts"
import { DeliveryRpcs, WebhookRpcs } from "./Webhooks.ts"

/** Every procedure of the second surface, for merchants who are signed in, and their agents. */
export const Rpcs = ProductRpcs.merge(
  SearchRpcs,
  SummaryRpcs,
  CollectionRpcs,
  MembershipRpcs,
  InventoryRpcs,
  OrderRpcs,
  CustomerRpcs
).merge(
  AgentRpcs,
  ProposalRpcs,
  StoreRpcs,
  MemberRpcs,
  SessionRpcs,
  AccountRpcs,
  ActivityRpcs,
  InstallationRpcs,
  WebhookRpcs,
  DeliveryRpcs,
  BillingRpcs,
  AppRpcs,
  AppWebhookRpcs,
  AppDeliveryRpcs
)
