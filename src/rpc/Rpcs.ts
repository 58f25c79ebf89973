import { MemberRpcs, SessionRpcs, StoreRpcs } from "./Access.ts"
import { BillingRpcs } from "./Billing.ts"
import { CollectionRpcs, ProductRpcs } from "./Catalog.ts"
import { InstallationRpcs } from "./Installations.ts"
import { DeliveryRpcs, WebhookRpcs } from "./Webhooks.ts"

/** Every procedure of the second surface, for merchants who are signed in. */
export const Rpcs = ProductRpcs.merge(CollectionRpcs, StoreRpcs, MemberRpcs, SessionRpcs).merge(
  InstallationRpcs,
  WebhookRpcs,
  DeliveryRpcs,
  BillingRpcs
)
