import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentNotFound, Agents, LISTED_DAYS } from "../../domain/access/Agents.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { formatStoreToken } from "./StoreTokens.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { AgentId } from "../../domain/access/Ids.ts"
import { WindowResult } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { StoreMoved } from "../../domain/cells/Cells.ts"
import type { ChangeRecorder, Write } from "../../domain/Write.ts"
import { storedList } from "../../domain/json/StoredList.ts"
import { retryLockedWindows } from "../rateLimit/LockedWindows.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { textArray, plainArray } from "../sql/ArrayLiterals.ts"
import { Revocation } from "../oauth/Revocation.ts"
import { pageReader, selectPage, START } from "../sql/Pages.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { rollingWindowCtes, admittedCalls } from "../rateLimit/RollingWindow.ts"
import { isElsewhere } from "../storeMove/Moving.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { AdmissionPool } from "../sql/Postgres.ts"
import { findJson, rowsReader } from "../sql/Rows.ts"
import type { Statement } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { observeChanges } from "../Writes.ts"
import { AGENT, AgentCreation, decodeAdministered, IS_ACTIVE } from "./AgentCreation.ts"
import { Budget } from "./Budget.ts"

/** Token of a request, the number of its calls, and whether tokens of OAuth clients are accepted, too. */
interface AdmissionRequest {
  readonly hash: Buffer
  readonly calls: number
  readonly acceptsAny: boolean
}

const Bearer = Schema.Struct({
  place: Schema.Int,
  id: Schema.toType(AgentId),
  storeId: Schema.toType(StoreId),
  scopes: storedList(Scope),
  proposalsOnly: Schema.Boolean,
  isGone: Schema.Boolean,
  isMoved: Schema.Boolean,
  isLocked: Schema.Boolean,
  ...WindowResult.fields
})

const readAgents = pageReader(AgentId)

const readEnded = rowsReader(Schema.Struct({ place: Schema.Int }))

export const AgentsLive = Layer.effect(
  Agents,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const creation = yield* AgentCreation
    const { revokeGrantsOfAgent } = yield* Revocation
    const { spend } = yield* Budget
    const { batch, sql: admission } = yield* AdmissionPool

    // Lists are scalar subqueries for the planner, as in RateLimit.ts.
    const admitAll = (requests: ReadonlyArray<AdmissionRequest>) => admission`
      with bearer as materialized (
        select
          request.place, request.calls, a.store_id, a.id as agent_id, a.scopes, a.proposals_only, a.requests,
          s.deleted_at is not null as is_gone, s.moved_at is not null or ${isElsewhere("s.id")} as is_moved
        from unnest(
          (select ${requests.map(({ hash }) => hash)}::bytea[]),
          (select ${plainArray(requests.map(({ calls }) => calls))}::integer[]),
          (select ${plainArray(requests.map(({ acceptsAny }) => String(acceptsAny)))}::boolean[])
        ) with ordinality as request (hash, calls, accepts_any, place)
        cross join lateral (
          select store_id, id from agents where token_hash = request.hash
          union all
          select store_id, agent_id from agent_tokens
          where token_hash = request.hash and expires_at > clock_timestamp() and request.accepts_any
        ) known
        join agents a on a.store_id = known.store_id and a.id = known.id
        join stores s on s.id = a.store_id
        where ${IS_ACTIVE}
      ), wanted as (
        select store_id, agent_id, sum(calls)::integer as n, requests as most
        from bearer where not is_gone and not is_moved group by store_id, agent_id, requests
      ), ${rollingWindowCtes("agent_windows", ["store_id", "agent_id"])}
      select
        place::integer, store_id as "storeId", agent_id as id, array_to_json(scopes) as scopes,
        proposals_only as "proposalsOnly", is_gone as "isGone", is_moved as "isMoved",
        not is_gone and not is_moved and granted is null as "isLocked",
        ${admittedCalls(["store_id", "agent_id"])} as admitted, coalesce(seconds, 0) as "retryAfter"
      from bearer left join decided using (store_id, agent_id)
    `
    const findBearer = retryLockedWindows(yield* batch(admitAll, Bearer))

    const lockById = (store: StoreId, id: AgentId) =>
      findJson(sql`
        select ${AGENT} as json from agents a, agent_windows w
        where a.store_id = ${store} and a.id = ${id} and w.store_id = ${store} and w.agent_id = ${id}
          and a.revoked_at is null
        for no key update of a
      `)

    /** Runs the change of an agent, records it and returns the agent. An agent that was revoked before has no change. */
    const change = Effect.fnUntraced(function* (
      store: StoreId,
      id: AgentId,
      act: "update" | "revoke",
      statement: Statement
    ) {
      const before = yield* lockById(store, id)
      const after = yield* findJson(statement)
      if (Option.isNone(after)) return yield* new AgentNotFound({ id })
      if (Option.isSome(before)) {
        const state = act === "revoke" ? null : yield* decodeAdministered(after.value)
        yield* recordAdministered(store, "agent", id, yield* decodeAdministered(before.value), state)
      }
      return after.value
    })

    return Agents.of({
      create: (store, by, agent) => {
        const token = formatStoreToken("agent_", store)
        const created = creation.create(store, by, agent, { tokenHash: sha256(token), days: null })
        return { token, write: Effect.map(created, ({ json }) => json) }
      },

      // `offset 0` keeps the window apart, so that it is found by its key for each agent of the page.
      list: Effect.fn("Agents.list")(
        (store, { cursor = START, limit }) =>
          readAgents(
            selectPage(
              sql,
              sql`
                select a.id, ${AGENT} as json
                from agents a join lateral (
                  select hits from agent_windows w where w.store_id = a.store_id and w.agent_id = a.id offset 0
                ) w on true
                where a.store_id = ${store} and a.id > ${cursor}
              `,
              limit
            )
          ),
        orDefect
      ),

      update: Effect.fn("Agents.update")(
        (store, id, { budget = null, name = null, proposalsOnly = null, scopes, window = null }) => {
          const scopeArray = scopes === undefined ? null : textArray([...new Set(scopes)])
          return change(
            store,
            id,
            "update",
            sql`
              with a as (
                update agents set
                  name = coalesce(${name}, name), scopes = coalesce(${scopeArray}, scopes),
                  budget = coalesce(${budget}, budget), requests = coalesce(${window}, requests),
                  proposals_only = coalesce(${proposalsOnly}, proposals_only)
                where store_id = ${store} and id = ${id} and revoked_at is null
                returning *
              )
              select ${AGENT} as json from a, agent_windows w where w.store_id = ${store} and w.agent_id = ${id}
            `
          )
        },
        orDefect
      ),

      revoke: Effect.fn("Agents.revoke")(function* (store, id) {
        yield* revokeGrantsOfAgent(store, id)
        return yield* change(
          store,
          id,
          "revoke",
          sql`
            with a as (
              update agents set revoked_at = coalesce(revoked_at, statement_timestamp())
              where store_id = ${store} and id = ${id}
              returning *
            )
            select ${AGENT} as json from a, agent_windows w where w.store_id = ${store} and w.agent_id = ${id}
          `
        )
      }, orDefect),

      budgeted: Effect.fn("Agents.budgeted")(function* <A, E>(
        store: StoreId,
        agent: AgentId,
        write: Write<A, E>
      ): Effect.fn.Return<A, E | Effect.Error<ReturnType<typeof spend>>, ChangeRecorder> {
        let isChange = false
        const value = yield* observeChanges(write, () => (isChange = true))
        if (isChange) yield* spend(store, agent, "write")
        return value
      }),

      admit: Effect.fn("Agents.admit")(function* (token, calls, accepted) {
        const found = yield* findBearer({ hash: sha256(token), calls, acceptsAny: accepted === "any" })
        if (Option.isNone(found)) return yield* new InvalidToken()
        const { admitted, id, isGone, isMoved, proposalsOnly, retryAfter, scopes, storeId } = found.value
        if (isMoved) return yield* Effect.die(new StoreMoved())
        return isGone ? yield* new StoreNotFound() : { id, storeId, scopes, proposalsOnly, admitted, retryAfter }
      }),

      ended: Effect.fn("Agents.ended")(function* (agents) {
        const ended = yield* readEnded(sql`
          select connection.place
          from unnest(
            ${plainArray(agents.map((_, place) => place))}::integer[], ${plainArray(agents.map(({ storeId }) => storeId))}::uuid[],
            ${plainArray(agents.map(({ id }) => id))}::uuid[], ${textArray(agents.map(({ scopes }) => scopes.join(" ")))}::text[]
          ) as connection (place, store_id, id, scopes)
          left join lateral (
            select true as goes_on from agents a join stores s on s.id = a.store_id and s.deleted_at is null
            where a.store_id = connection.store_id and a.id = connection.id and ${IS_ACTIVE}
              and array_to_string(
                array(select scope from unnest(a.scopes) with ordinality as s (scope, n)
                  where scope = any(${textArray(Scope.literals)}) order by n), ' '
              ) = connection.scopes limit 1
          ) agent on true
          where goes_on is null
        `)
        return ended.map(({ place }) => place)
      }, orDefect),

      purge: rowCount(
        sql`${purgeExpired({
          table: "agents",
          key: ["store_id", "id"],
          end: "coalesce(revoked_at, ends_at)",
          retention: `${LISTED_DAYS} days`
        })}`
      ).pipe(orDefect, Effect.withSpan("Agents.purge"))
    })
  })
)
