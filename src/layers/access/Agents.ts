import { Effect, Layer, Option, Schema } from "effect"
import { type AdmittedAgent, AgentNotFound, Agents, LISTED_DAYS } from "../../domain/access/Agents.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { AgentId } from "../../domain/Actor.ts"
import type { JsonText } from "../../domain/Document.ts"
import { WindowResult } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { storedList } from "../../domain/StoredList.ts"
import { firstOf, type Step, withClient } from "../sql/Plan.ts"
import { Database, AdmissionPool } from "../sql/Postgres.ts"
import { sql, type Statement } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { arrayOf, listOf } from "../Lists.ts"
import { jsonPage, pageOf, START } from "../Pages.ts"
import { purgeOf } from "../Purging.ts"
import { makeHeldWindows } from "../HeldWindows.ts"
import { countedIn, grantedOf } from "../RollingWindow.ts"
import { hashOf, newToken } from "../Secrets.ts"
import { traced } from "../Traced.ts"
import { observeChanges } from "../Writes.ts"
import { revokeGrantsOfAgent } from "../oauth/Revocation.ts"
import { spend } from "./Budget.ts"
import { administered, AGENT, GOES_ON, makeAgent } from "./AgentCreation.ts"
import { column } from "../sql/Column.ts"

/** Found by its key for each agent of a page, whatever the tables held when it was planned: `offset 0` keeps it apart. */
const ITS_WINDOW = sql`
  lateral (select hits from agent_windows w where w.store_id = a.store_id and w.agent_id = a.id offset 0) w on true
`

const selectPage = (store: StoreId, cursor: string, limit: number) =>
  jsonPage(
    sql`
      select a.id, ${AGENT} as json from agents a join ${ITS_WINDOW}
      where a.store_id = ${store} and a.id > ${cursor}
    `,
    limit
  )

const lockAgent = (store: StoreId, agent: AgentId) => sql`
  select ${AGENT} as json from agents a, agent_windows w
  where a.store_id = ${store} and a.id = ${agent} and w.store_id = ${store} and w.agent_id = ${agent}
    and a.revoked_at is null
  for no key update of a
`

const updateAgent = (
  store: StoreId,
  agent: AgentId,
  name: string | null,
  scopes: string | null,
  budget: number | null,
  window: number | null,
  proposalsOnly: boolean | null
) => sql`
  update agents a set
    name = coalesce(${name}, name), scopes = coalesce(${scopes}, scopes), budget = coalesce(${budget}, budget),
    requests = coalesce(${window}, requests), proposals_only = coalesce(${proposalsOnly}, proposals_only)
  from agent_windows w
  where a.store_id = ${store} and a.id = ${agent} and w.store_id = ${store} and w.agent_id = ${agent}
    and revoked_at is null
  returning ${AGENT} as json
`

const revokeAgent = (store: StoreId, agent: AgentId) => sql`
  update agents a set revoked_at = coalesce(revoked_at, clock_timestamp()) from agent_windows w
  where a.store_id = ${store} and a.id = ${agent} and w.store_id = ${store} and w.agent_id = ${agent}
  returning ${AGENT} as json
`

/** Who calls, and how often. */
interface Calling {
  readonly hash: Buffer
  readonly calls: number
  /** Whether tokens of consents count, too. */
  readonly takesAny: boolean
}

/** The lists stand in subqueries as those of apps do (`RateLimit.ts`). */
const admitAll = (hashes: ReadonlyArray<Buffer>, calls: string, takesAny: string) => sql`
  with bearer as materialized (
    select
      asked.place, asked.calls, a.store_id, a.id as agent_id, a.scopes, a.proposals_only, a.requests,
      s.deleted_at is not null as is_gone
    from unnest((select ${hashes}::bytea[]), (select ${calls}::integer[]), (select ${takesAny}::boolean[]))
      with ordinality as asked (hash, calls, takes_any, place)
    cross join lateral (
      select store_id, id from agents where token_hash = asked.hash
      union all
      select store_id, agent_id from agent_tokens
      where token_hash = asked.hash and expires_at > clock_timestamp() and asked.takes_any
    ) known
    join agents a on a.store_id = known.store_id and a.id = known.id
    join stores s on s.id = a.store_id
    where ${GOES_ON}
  ), wanted as (
    select store_id, agent_id, sum(calls)::integer as n, requests as most
    from bearer where not is_gone group by store_id, agent_id, requests
  ), ${countedIn("agent_windows", ["store_id", "agent_id"])}
  select
    place::integer, store_id as "storeId", agent_id as id, array_to_json(scopes) as scopes,
    proposals_only as "proposalsOnly", is_gone as "isGone", not is_gone and granted is null as "isHeld",
    ${grantedOf(["store_id", "agent_id"])} as admitted, coalesce(seconds, 0) as "retryAfter"
  from bearer left join decided using (store_id, agent_id)
`

const selectEnded = (places: string, stores: string, agents: string, scopes: string, knownScopes: string) => sql`
  select held.place
  from unnest(${places}::integer[], ${stores}::uuid[], ${agents}::uuid[], ${scopes}::text[])
    as held (place, store_id, id, scopes)
  left join lateral (
    select true as goes_on from agents a join stores s on s.id = a.store_id and s.deleted_at is null
    where a.store_id = held.store_id and a.id = held.id and ${GOES_ON}
      and array_to_string(
        array(select scope from unnest(a.scopes) with ordinality as s (scope, n)
          where scope = any(${knownScopes}) order by n), ' '
      ) = held.scopes limit 1
  ) agent on true
  where goes_on is null
`

const Bearer = Schema.Struct({
  place: Schema.Int,
  id: Schema.toType(AgentId),
  storeId: Schema.toType(StoreId),
  scopes: storedList(Scope),
  proposalsOnly: Schema.Boolean,
  isGone: Schema.Boolean,
  isHeld: Schema.Boolean,
  ...WindowResult.fields
})

const Json = column("json", Schema.String)

const agentOf = firstOf(Json)

/** Changes an agent by a statement, which answers it as it is then. One that was revoked before has ended already. */
const changed = Effect.fnUntraced(function* (
  store: StoreId,
  id: AgentId,
  act: "update" | "revoke",
  change: Statement
): Step<JsonText, AgentNotFound> {
  const before = yield* agentOf(lockAgent(store, id))
  const found = yield* agentOf(change)
  const after = Option.getOrUndefined(found) ?? (yield* new AgentNotFound({ id }))
  if (Option.isSome(before)) {
    const left = act === "revoke" ? null : administered(after)
    yield* withClient((sql) => recordAdministered(sql, store, "agent", id, administered(before.value), left))
  }
  return after
})

export const AgentsLive = Layer.effect(
  Agents,
  Effect.gen(function* () {
    const database = yield* Database
    const { batch, sql: admission } = yield* AdmissionPool
    const bearerOf = makeHeldWindows(
      yield* batch(
        (asked: ReadonlyArray<Calling>) =>
          admission`${admitAll(
            asked.map(({ hash }) => hash),
            listOf(asked.map(({ calls }) => calls)),
            listOf(asked.map(({ takesAny }) => String(takesAny)))
          )}`,
        Bearer
      )
    )
    const placesOf = database.rows(column("place", Schema.Int))
    const page = pageOf(database, AgentId)

    return Agents.of({
      create: (store, by, agent) => {
        const token = newToken("agent_")
        return {
          token,
          write: Effect.gen(function* () {
            return (yield* makeAgent(store, by, agent, { tokenHash: hashOf(token), days: null })).json
          })
        }
      },

      list: (store, { cursor, limit }) => traced("Agents.list")(page(selectPage(store, cursor ?? START, limit))),

      update: (store, id, { budget = null, name = null, proposalsOnly = null, scopes, window = null }) => {
        const chosen = scopes === undefined ? null : arrayOf([...new Set(scopes)])
        return changed(store, id, "update", updateAgent(store, id, name, chosen, budget, window, proposalsOnly))
      },

      revoke: (store, id) =>
        Effect.gen(function* () {
          yield* revokeGrantsOfAgent(store, id)
          return yield* changed(store, id, "revoke", revokeAgent(store, id))
        }),

      budgeted: (store, agent, write) =>
        Effect.gen(function* () {
          let isChange = false
          const value = yield* observeChanges(write, () => (isChange = true))
          if (isChange) yield* spend(store, agent, "write")
          return value
        }),

      admit: (token, calls, taken) =>
        Effect.flatMap(
          bearerOf({ hash: hashOf(token), calls, takesAny: taken === "any" }),
          (found): Effect.Effect<AdmittedAgent, InvalidToken | StoreNotFound> => {
            if (Option.isNone(found)) return new InvalidToken()
            const { admitted, id, isGone, proposalsOnly, retryAfter, scopes, storeId } = found.value
            if (isGone) return new StoreNotFound()
            return Effect.succeed({ id, storeId, scopes, proposalsOnly, admitted, retryAfter })
          }
        ).pipe(traced("Agents.admit")),

      ended: Effect.fn("Agents.ended")((agents) =>
        placesOf(
          selectEnded(
            listOf(agents.map((_, place) => place)),
            listOf(agents.map(({ storeId }) => storeId)),
            listOf(agents.map(({ id }) => id)),
            arrayOf(agents.map(({ scopes }) => scopes.join(" "))),
            arrayOf(Scope.literals)
          )
        )
      ),

      purge: database.count(
        purgeOf({
          table: "agents",
          key: ["store_id", "id"],
          end: "coalesce(revoked_at, ends_at)",
          kept: `${LISTED_DAYS} days`
        })
      )
    })
  })
)
