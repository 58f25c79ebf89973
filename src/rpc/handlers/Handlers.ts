import { Effect } from "effect"
import { ServedRpcs } from "../server/ServedRpcs.ts"
import { makeAccessProcedures } from "./Stores.ts"
import { makeAccountProcedures } from "./Account.ts"
import { makeActivityProcedures } from "./Activity.ts"
import { makeAgentProcedures } from "./Agents.ts"
import { makeBillingProcedures } from "./Billing.ts"
import { makeCatalogProcedures } from "./Products.ts"
import { makeDeveloperProcedures } from "./Apps.ts"
import { makeInstallationProcedures } from "./Installations.ts"
import { makeInventoryProcedures } from "./Inventory.ts"
import { makeMembershipProcedures } from "./Collections.ts"
import { makeProposalProcedures } from "./Proposals.ts"
import { makeRecordProcedures } from "./Records.ts"
import { makeSearchProcedures } from "./Search.ts"
import { makeSummaryProcedures } from "./Summaries.ts"
import { makeWebhookProcedures } from "./Webhooks.ts"

/** The handlers of every procedure. One that is missing does not compile. */
export const RpcHandlers = ServedRpcs.toLayer(
  Effect.gen(function* () {
    const catalog = yield* makeCatalogProcedures
    const inventory = yield* makeInventoryProcedures
    return ServedRpcs.of({
      ...catalog,
      ...inventory,
      ...(yield* makeProposalProcedures({ ...catalog, ...inventory })),
      ...(yield* makeAccountProcedures),
      ...(yield* makeAgentProcedures),
      ...(yield* makeSearchProcedures),
      ...(yield* makeSummaryProcedures),
      ...(yield* makeMembershipProcedures),
      ...(yield* makeRecordProcedures),
      ...(yield* makeAccessProcedures),
      ...(yield* makeActivityProcedures),
      ...(yield* makeInstallationProcedures),
      ...(yield* makeWebhookProcedures),
      ...(yield* makeBillingProcedures),
      ...(yield* makeDeveloperProcedures)
    })
  })
)
