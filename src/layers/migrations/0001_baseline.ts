import { Effect } from "effect"
import { createAccounts } from "./baseline/accounts.ts"
import { createAgents } from "./baseline/agents.ts"
import { createApps } from "./baseline/apps.ts"
import { createCatalog } from "./baseline/catalog.ts"
import { createClocks } from "./baseline/clocks.ts"
import { createJournal } from "./baseline/journal.ts"
import { createRecords } from "./baseline/records.ts"
import { createSearch } from "./baseline/search.ts"
import { createStores } from "./baseline/stores.ts"
import { createWebhooks } from "./baseline/webhooks.ts"

/**
 * Creates the schema of the first release: one file per feature, in the order of the foreign keys.
 *
 * Primary keys and unique indexes of tenant tables start with `store_id`, so that the schema can be distributed by
 * store. Tokens and codes are the exception: requests look them up before their store is known.
 */
export default Effect.gen(function* () {
  yield* createClocks
  yield* createStores
  yield* createAccounts
  yield* createApps
  yield* createAgents
  yield* createCatalog
  yield* createSearch
  yield* createRecords
  yield* createWebhooks
  yield* createJournal
})
