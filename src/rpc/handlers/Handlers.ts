import { Effect } from "effect"
import { ServedRpcs } from "../server/ServedRpcs.ts"
import { makeAccountHandlers } from "./Account.ts"
import { makeActivityHandlers } from "./Activity.ts"
import { makeAgentHandlers } from "./Agents.ts"
import { makeBillingHandlers } from "./Billing.ts"
import { makeFeedHandlers } from "./Changes.ts"
import { makeChangeSetHandlers } from "./ChangeSets.ts"
import { makeCollectionHandlers } from "./Collections.ts"
import { makeExportHandlers } from "./Exports.ts"
import { makeFileHandlers } from "./Files.ts"
import { makeProductHandlers } from "./Products.ts"
import { makeStoreHandlers } from "./Stores.ts"
import { makeAppHandlers } from "./Apps.ts"
import { makeInstallationHandlers } from "./Installations.ts"
import { makeProposalHandlers } from "./Proposals.ts"
import { makeRecordHandlers } from "./Records.ts"
import { makeViewHandlers } from "./Views.ts"
import { makeWebhookHandlers } from "./Webhooks.ts"

/** The handlers of all procedures. A missing handler is a type error. */
export const RpcHandlers = ServedRpcs.toLayer(
  Effect.gen(function* () {
    const products = yield* makeProductHandlers
    const collections = yield* makeCollectionHandlers
    const changeSets = yield* makeChangeSetHandlers
    const files = yield* makeFileHandlers
    return ServedRpcs.of({
      ...products,
      ...collections,
      ...(yield* makeFeedHandlers),
      ...changeSets,
      ...(yield* makeProposalHandlers({ ...products, ...collections, ...changeSets, ...files })),
      ...(yield* makeAccountHandlers),
      ...(yield* makeAgentHandlers),
      ...(yield* makeRecordHandlers),
      ...(yield* makeStoreHandlers),
      ...(yield* makeActivityHandlers),
      ...(yield* makeInstallationHandlers),
      ...(yield* makeWebhookHandlers),
      ...(yield* makeBillingHandlers),
      ...(yield* makeAppHandlers),
      ...(yield* makeViewHandlers),
      ...(yield* makeExportHandlers),
      ...files
    })
  })
)
