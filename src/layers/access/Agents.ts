import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { hash, randomBytes } from "node:crypto"
import {
  type AdmittedAgent,
  AgentLimitReached,
  AgentNotFound,
  Agents,
  BUDGET,
  LISTED_DAYS,
  MAX_AGENTS,
  WINDOW
} from "../../domain/access/Agents.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { AgentId } from "../../domain/Actor.ts"
import type { JsonText } from "../../domain/Document.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import { Counted } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { type Refusal, refuse } from "../../domain/Write.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Steps } from "../database/Plan.ts"
import { Database } from "../database/Postgres.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { arrayOf, listOf } from "../Lists.ts"
import { pageOf, pageQuery, START } from "../Pages.ts"
import { countedIn } from "../RollingWindow.ts"
import { traced } from "../Traced.ts"
import { overheard } from "../Writes.ts"
import { SPENT, spend } from "./Budget.ts"

/** Tells an agent's token from others, for who finds one where it should not be. */
const PREFIX = "agent_"

const hashOf = (token: Redacted.Redacted) => hash("sha256", Redacted.value(token), "buffer")

const time = (moment: string) => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** An agent as it is returned: `a`, and its window `w`, of which the last hit is when it was last used. */
const AGENT = `
  json_build_object(
    'id', a.id, 'name', a.name, 'scopes', a.scopes, 'budget', a.budget, 'window', a.requests,
    'proposalsOnly', a.proposals_only, 'writesToday', ${SPENT},
    'createdBy', a.created_by, 'createdAt', ${time("a.created_at")},
    'lastUsedAt', ${time("date_trunc('minute', to_timestamp(w.hits[cardinality(w.hits)] / 1000000))")},
    'revokedAt', ${time("a.revoked_at")}
  )::text
`

/** About how many bytes it has. */
const BYTES = "600"

const ITS_WINDOW = "agent_windows w on w.store_id = a.store_id and w.agent_id = a.id"

const selectPage = statement(
  pageQuery({
    columns: `${AGENT} as agent`,
    text: "agent",
    bytes: BYTES,
    rows: `agents a join ${ITS_WINDOW} where a.store_id = $1 and a.id > $4`
  })
)

const selectFull = statement(`
  select 1 from agents where store_id = $1 and revoked_at is null offset ${MAX_AGENTS - 1} limit 1
`)

const insertAgent = statement(`
  with a as (
    insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by)
    values ($1, uuid_v7(clock_micros()), $2, $3, $4, $5, $6, $7, $8) returning *
  ), w as (
    insert into agent_windows (store_id, agent_id) select store_id, id from a returning hits
  )
  select ${AGENT} as json from a, w
`)

const OF_ONE = "from agent_windows w where a.store_id = $1 and a.id = $2 and w.store_id = $1 and w.agent_id = $2"

const updateAgent = statement(`
  update agents a set
    name = coalesce($3, name), scopes = coalesce($4, scopes), budget = coalesce($5, budget),
    requests = coalesce($6, requests), proposals_only = coalesce($7, proposals_only)
  ${OF_ONE} and revoked_at is null returning ${AGENT} as json
`)

const revokeAgent = statement(`
  update agents a set revoked_at = coalesce(revoked_at, clock_timestamp()) ${OF_ONE} returning ${AGENT} as json
`)

const admitCalls = statement(`
  with bearer as materialized (
    select a.store_id, a.id as agent_id, a.scopes, a.proposals_only, a.requests, s.deleted_at is not null as is_gone
    from agents a join stores s on s.id = a.store_id
    where a.token_hash = $1 and a.revoked_at is null
  ), wanted as (
    select store_id, agent_id, $2::integer as n, requests as most from bearer where not is_gone
  ), ${countedIn("agent_windows", ["store_id", "agent_id"])}
  select
    store_id as "storeId", agent_id as id, array_to_json(scopes) as scopes, proposals_only as "proposalsOnly",
    is_gone as "isGone", coalesce(granted, 0) as admitted, coalesce(seconds, 0) as "retryAfter"
  from bearer left join decided using (store_id, agent_id)
`)

const selectEnded = statement(`
  select held.place from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[]) as held (place, store_id, id, scopes)
  left join lateral (
    select true as goes_on from agents a join stores s on s.id = a.store_id and s.deleted_at is null
    where a.store_id = held.store_id and a.id = held.id and a.revoked_at is null
      and array_to_string(a.scopes, ' ') = held.scopes limit 1
  ) agent on true
  where goes_on is null
`)

/** Agents that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

const ENDED = "coalesce(revoked_at, ends_at)"
const deleteEnded = statement(`
  with ended as materialized (
    select store_id, id from agents
    where ${ENDED} is not null and ${ENDED} <= now() - interval '${LISTED_DAYS} days'
    order by ${ENDED} limit ${PURGE_BATCH} for update skip locked
  )
  delete from agents a using ended where a.store_id = ended.store_id and a.id = ended.id
`)()

const Bearer = Schema.Struct({
  id: Schema.typeSchema(AgentId),
  storeId: Schema.typeSchema(StoreId),
  scopes: Schema.Array(Scope),
  proposalsOnly: Schema.Boolean,
  isGone: Schema.Boolean,
  ...Counted.fields
})

const Json = Schema.Struct({ json: Schema.String }).pipe(Schema.pluck("json"))

const agentOf = firstOf(Json)

/** The agent that the statement wrote. */
function* written(id: AgentId, statement: Statement): Steps<JsonText, Refusal<AgentNotFound>> {
  const found = yield* agentOf(statement)
  return Option.isSome(found) ? found.value : yield* refuse(new AgentNotFound({ id }))
}

export const AgentsLive = Layer.effect(
  Agents,
  Effect.map(Database, (database) => {
    const bearerOf = database.first(Bearer)
    const placesOf = database.rows(Schema.Struct({ place: Schema.Int }).pipe(Schema.pluck("place")))
    const page = pageOf(database, AgentId)

    return Agents.of({
      create: (store, by, { budget = BUDGET.usual, name, proposalsOnly = false, scopes, window = WINDOW.usual }) => {
        const token = Redacted.make(`${PREFIX}${randomBytes(32).toString("base64url")}`)
        const values = [name, arrayOf([...new Set(scopes)]), budget, window, proposalsOnly, by]
        return {
          token,
          write: function* () {
            yield* lockedStore(store)
            if ((yield* countOf(selectFull(store))) > 0) return yield* refuse(new AgentLimitReached())
            return Option.getOrThrow(yield* agentOf(insertAgent(store, hashOf(token), ...values)))
          }
        }
      },

      list: (store, { cursor, limit }) =>
        traced("Agents.list")(page(selectPage(store, limit, PAGE_BYTES, cursor ?? START))),

      update:
        (store, id, { budget = null, name = null, proposalsOnly = null, scopes, window = null }) =>
        () => {
          const chosen = scopes === undefined ? null : arrayOf([...new Set(scopes)])
          return written(id, updateAgent(store, id, name, chosen, budget, window, proposalsOnly))
        },

      revoke: (store, id) => () => written(id, revokeAgent(store, id)),

      budgeted: (store, agent, write) =>
        function* () {
          let isChange = false
          const value = yield* overheard(write, () => (isChange = true))()
          if (isChange) yield* spend(store, agent, "write")
          return value
        },

      admit: (token, calls) =>
        Effect.flatMap(
          bearerOf(admitCalls(hashOf(token), calls)),
          (found): Effect.Effect<AdmittedAgent, InvalidToken | StoreNotFound> => {
            if (Option.isNone(found)) return new InvalidToken()
            const { isGone, ...agent } = found.value
            return isGone ? new StoreNotFound() : Effect.succeed(agent)
          }
        ).pipe(traced("Agents.admit")),

      ended: Effect.fn("Agents.ended")((agents) =>
        placesOf(
          selectEnded(
            listOf(agents.map((_, place) => place)),
            listOf(agents.map(({ storeId }) => storeId)),
            listOf(agents.map(({ id }) => id)),
            arrayOf(agents.map(({ scopes }) => scopes.join(" ")))
          )
        )
      ),

      purge: database.count(deleteEnded)
    })
  })
)
