import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { chunksOf } from "effect/Array"
import { type InstallationId, InstallationNotFound } from "../../domain/access/Installations.ts"
import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest, Requests } from "../../domain/access/Requests.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { linesOf, listOf } from "../Lists.ts"
import { INSTALLED } from "./InstallationState.ts"

/** Installations whose requests one statement writes down at most. */
const BATCH = 200

/** In the order of the key, so that two processes never wait for each other. */
const putRequests = (stores: string, installations: string, requests: string) => sql`
  insert into recent_requests as r (store_id, installation_id, requests)
  select store_id, installation_id, requests::jsonb
  from unnest(${stores}::uuid[], ${installations}::uuid[], string_to_array(${requests}, E'\\n', ''))
    as given (store_id, installation_id, requests)
  order by store_id, installation_id
  on conflict (store_id, installation_id) do update
  set requests = jsonb_path_query_array(excluded.requests || r.requests, '$[0 to ${constant(MAX_REQUESTS - 1)}]')
`

const selectRequests = (store: StoreId, installation: InstallationId) => sql`
  select coalesce(r.requests, '[]')::text as json
  from installations i left join recent_requests r on r.store_id = i.store_id and r.installation_id = i.id
  where i.store_id = ${store} and i.id = ${installation} and ${INSTALLED}
`

/** What an installation asked for since it was last written down, the newest last. */
interface Noted {
  readonly storeId: StoreId
  readonly id: InstallationId
  readonly requests: Array<RecentRequest>
}

export const RequestsLive = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const { count, first } = yield* Database
    const foundOf = first(Schema.Struct({ json: Schema.String }))
    const noted = new Map<InstallationId, Noted>()

    const writeDown = (some: ReadonlyArray<Noted>) =>
      Effect.asVoid(
        count(
          putRequests(
            listOf(some.map(({ storeId }) => storeId)),
            listOf(some.map(({ id }) => id)),
            linesOf(some.map(({ requests }) => JSON.stringify(requests.toReversed())))
          )
        )
      )

    const writeAll = Effect.suspend(() => {
      const all = [...noted.values()]
      noted.clear()
      return Effect.forEach(chunksOf(all, BATCH), writeDown, { discard: true })
    })

    const writeOf = (id: InstallationId) =>
      Effect.suspend(() => {
        const own = noted.get(id)
        noted.delete(id)
        return own === undefined ? Effect.void : writeDown([own])
      })

    // Those that cannot be written down are lost, too: nobody waits for them.
    const patiently = Effect.catchCause(writeAll, (cause) => Effect.logDebug("Requests are not kept", cause))
    yield* Effect.addFinalizer(() => patiently)
    yield* Effect.forkScoped(Effect.repeat(patiently, Schedule.spaced(`${GATHER_SECONDS} seconds`)))

    return Requests.of({
      note: ({ id, storeId }, request) => {
        const own = noted.get(id)
        if (own === undefined) noted.set(id, { storeId, id, requests: [request] })
        else if (own.requests.push(request) > MAX_REQUESTS) own.requests.shift()
      },

      recent: Effect.fn("Requests.recent")(function* (store, id) {
        yield* writeOf(id)
        const found = yield* foundOf(selectRequests(store, id))
        return Option.isSome(found) ? found.value.json : yield* new InstallationNotFound({ id })
      })
    })
  })
)
