import { Effect } from "effect"
import { createAccounts } from "./baseline/accounts.ts"
import { createAgents } from "./baseline/agents.ts"
import { createApps } from "./baseline/apps.ts"
import { createCatalog } from "./baseline/catalog.ts"
import { createCells } from "./baseline/cells.ts"
import { createChangeSets } from "./baseline/changeSets.ts"
import { createClocks } from "./baseline/clocks.ts"
import { createDigests } from "./baseline/digests.ts"
import { createEndpoints } from "./baseline/endpoints.ts"
import { createExports } from "./baseline/exports.ts"
import { createJobs } from "./baseline/jobs.ts"
import { createJournal } from "./baseline/journal.ts"
import { createMedia } from "./baseline/media.ts"
import { createRecords } from "./baseline/records.ts"
import { createRecordSearch } from "./baseline/recordSearch.ts"
import { createSearch } from "./baseline/search.ts"
import { createStores } from "./baseline/stores.ts"
import { createViews } from "./baseline/views.ts"
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
  yield* createCells
  yield* createApps
  yield* createAgents
  yield* createCatalog
  yield* createDigests
  yield* createSearch
  yield* createRecords
  yield* createRecordSearch
  yield* createMedia
  yield* createWebhooks
  yield* createEndpoints
  yield* createJournal
  yield* createJobs
  yield* createChangeSets
  yield* createExports
  yield* createViews
})
