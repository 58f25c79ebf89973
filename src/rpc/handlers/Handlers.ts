import { Effect } from "effect"
import { ServedRpcs } from "../server/ServedRpcs.ts"
import { makeAccountProcedures } from "./Account.ts"
import { makeActivityProcedures } from "./Activity.ts"
import { makeAgentProcedures } from "./Agents.ts"
import { makeBillingProcedures } from "./Billing.ts"
import { makeCollectionProcedures } from "./Collections.ts"
import { makeProductProcedures } from "./Products.ts"
import { makeStoreProcedures } from "./Stores.ts"
import { makeAppProcedures } from "./Apps.ts"
import { makeInstallationProcedures } from "./Installations.ts"
import { makeProposalProcedures } from "./Proposals.ts"
import { makeRecordProcedures } from "./Records.ts"
import { makeWebhookProcedures } from "./Webhooks.ts"

/** The handlers of every procedure. One that is missing does not compile. */
export const RpcHandlers = ServedRpcs.toLayer(
  Effect.gen(function* () {
    const products = yield* makeProductProcedures
    const collections = yield* makeCollectionProcedures
    return ServedRpcs.of({
      ...products,
      ...collections,
      ...(yield* makeProposalProcedures({ ...products, ...collections })),
      ...(yield* makeAccountProcedures),
      ...(yield* makeAgentProcedures),
      ...(yield* makeRecordProcedures),
      ...(yield* makeStoreProcedures),
      ...(yield* makeActivityProcedures),
      ...(yield* makeInstallationProcedures),
      ...(yield* makeWebhookProcedures),
      ...(yield* makeBillingProcedures),
      ...(yield* makeAppProcedures)
    })
  })
)
