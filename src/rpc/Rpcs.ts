import { MemberRpcs, SessionRpcs, StoreRpcs } from "./groups/Stores.ts"
import { AccountRpcs } from "./groups/Account.ts"
import { ActivityRpcs } from "./groups/Activity.ts"
import { AgentRpcs } from "./groups/Agents.ts"
import { BillingRpcs } from "./groups/Billing.ts"
import { CollectionRpcs, ProductRpcs } from "./groups/Products.ts"
import { AppDeliveryRpcs, AppRpcs, AppWebhookRpcs } from "./groups/Apps.ts"
import { InstallationRpcs } from "./groups/Installations.ts"
import { InventoryRpcs } from "./groups/Inventory.ts"
import { MembershipRpcs } from "./groups/Collections.ts"
import { ProposalRpcs } from "./groups/Proposals.ts"
import { CustomerRpcs, OrderRpcs } from "./groups/Records.ts"
import { SearchRpcs } from "./groups/Search.ts"
import { SummaryRpcs } from "./groups/Summaries.ts"
import { DeliveryRpcs, WebhookRpcs } from "./groups/Webhooks.ts"

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
