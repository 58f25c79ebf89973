import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What an app keeps ends a while after it was uninstalled, and an installation is in one state at a time. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // emptied_for: the `uninstalled_at` after which its app data was purged. A process of the release before, which knows no
  // purge, need not know of it: what it uninstalls has another time, and is to be purged.
  yield* sql`alter table installations add column emptied_for timestamptz`

  // Of two releases ago there may be what was activated without a word of its being uninstalled. It is put right, so the
  // table is not gone through, under a lock, to see whether all of it meets the check.
  yield* sql`update installations set uninstalled_at = null where is_active and uninstalled_at is not null`
  yield* sql`
    alter table installations
      add constraint installations_state_check check (uninstalled_at is null or not is_active) not valid
  `
})
