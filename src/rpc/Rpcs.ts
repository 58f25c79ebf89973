import { AccountRpcs, SessionRpcs } from "./groups/Account.ts"
import { ActivityRpcs } from "./groups/Activity.ts"
import { AgentRpcs } from "./groups/Agents.ts"
import { AppRpcs } from "./groups/Apps.ts"
import { AppDeliveryRpcs, AppWebhookRpcs } from "./groups/AppWebhooks.ts"
import { BillingRpcs } from "./groups/Billing.ts"
import { FeedRpcs } from "./groups/Changes.ts"
import { ChangeSetRpcs } from "./groups/ChangeSets.ts"
import { CollectionRpcs } from "./groups/Collections.ts"
import { ExportRpcs } from "./groups/Exports.ts"
import { FileRpcs } from "./groups/Files.ts"
import { InstallationRpcs } from "./groups/Installations.ts"
import { InventoryRpcs, ProductRpcs } from "./groups/Products.ts"
import { ProposalRpcs } from "./groups/Proposals.ts"
import { CustomerRpcs, OrderRpcs } from "./groups/Records.ts"
import { MemberRpcs, PresenceRpcs, StoreRpcs } from "./groups/Stores.ts"
import { ViewRpcs } from "./groups/Views.ts"
import { DeliveryRpcs, WebhookRpcs } from "./groups/Webhooks.ts"

/** All procedures. MCP lists tools in this order. */
export const Rpcs = ProductRpcs.merge(CollectionRpcs, InventoryRpcs, OrderRpcs, CustomerRpcs, FeedRpcs).merge(
  AgentRpcs,
  ProposalRpcs,
  StoreRpcs,
  MemberRpcs,
  SessionRpcs,
  AccountRpcs,
  ActivityRpcs,
  ChangeSetRpcs,
  InstallationRpcs,
  WebhookRpcs,
  DeliveryRpcs,
  BillingRpcs,
  AppRpcs,
  AppWebhookRpcs,
  AppDeliveryRpcs,
  ViewRpcs,
  ExportRpcs,
  FileRpcs,
  PresenceRpcs
)
