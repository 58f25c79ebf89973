import { Effect, Layer, Option, Schedule } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient } from "effect/sql"
import type { InstallationId } from "../../domain/access/Ids.ts"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest, Requests } from "../../domain/access/Requests.ts"
import type { StoreId } from "../../domain/Store.ts"
import { joinLines, plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { INSTALLED } from "./InstallationState.ts"

/** Maximum number of installations whose requests one statement stores. */
const BATCH = 200

/** Requests of an installation that are not stored yet, in the order of arrival. */
interface PendingRequests {
  readonly storeId: StoreId
  readonly id: InstallationId
  readonly requests: Array<RecentRequest>
}

export const RequestsLive = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pending = new Map<InstallationId, PendingRequests>()

    /** Rows are written in the order of their key, so that two processes do not deadlock. */
    const insertRequests = (batch: ReadonlyArray<PendingRequests>) => sql`
      insert into recent_requests as r (store_id, installation_id, requests)
      select store_id, installation_id, requests::jsonb
      from unnest(
        ${plainArray(batch.map(({ storeId }) => storeId))}::uuid[], ${plainArray(batch.map(({ id }) => id))}::uuid[],
        string_to_array(${joinLines(batch.map(({ requests }) => JSON.stringify(requests.toReversed())))}, E'\\n', '')
      ) as batch (store_id, installation_id, requests)
      order by store_id, installation_id
      on conflict (store_id, installation_id) do update
      set requests = jsonb_path_query_array(excluded.requests || r.requests, '$[0 to ${constant(MAX_REQUESTS - 1)}]')
    `

    const flushAll = Effect.suspend(() => {
      const batches = chunksOf([...pending.values()], BATCH)
      pending.clear()
      return orDefect(Effect.forEach(batches, insertRequests, { discard: true }))
    })

    const flush = Effect.fnUntraced(function* (id: InstallationId) {
      const requests = pending.get(id)
      pending.delete(id)
      if (requests !== undefined) yield* insertRequests([requests])
    })

    // Requests that cannot be stored are lost: no client waits for them.
    const flushOrDrop = Effect.catchCause(flushAll, (cause) =>
      Effect.logDebug("Recent requests were not stored", cause)
    )
    yield* Effect.addFinalizer(() => flushOrDrop)
    yield* Effect.forkScoped(Effect.repeat(flushOrDrop, Schedule.spaced(`${GATHER_SECONDS} seconds`)))

    return Requests.of({
      note: ({ id, storeId }, request) => {
        const known = pending.get(id)
        if (known === undefined) pending.set(id, { storeId, id, requests: [request] })
        else if (known.requests.push(request) > MAX_REQUESTS) known.requests.shift()
      },

      recent: Effect.fn("Requests.recent")(function* (store, id) {
        yield* flush(id)
        const requests = yield* findJson(sql`
          select coalesce(r.requests, '[]')::text as json
          from installations i left join recent_requests r on r.store_id = i.store_id and r.installation_id = i.id
          where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}
        `)
        return Option.isSome(requests) ? requests.value : yield* new InstallationNotFound({ id })
      }, orDefect)
    })
  })
)
