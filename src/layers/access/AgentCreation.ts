import { Effect, Option, Schema, Struct } from "effect"
import { Agent, AgentLimitReached, BUDGET, MAX_AGENTS, type NewAgent, WINDOW } from "../../domain/access/Agents.ts"
import { AgentId, type MerchantId } from "../../domain/Actor.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Step, withClient } from "../sql/Plan.ts"
import { constant, sql } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { arrayOf } from "../Lists.ts"
import { time } from "../Times.ts"
import { SPENT } from "./Budget.ts"

/** An agent as it is returned: `a`, and its window `w`, of which the last hit is when it was last used. */
export const AGENT = sql`
  json_build_object(
    'id', a.id, 'name', a.name, 'scopes', a.scopes, 'budget', a.budget, 'window', a.requests,
    'proposalsOnly', a.proposals_only, 'writesToday', ${SPENT},
    'createdBy', a.created_by, 'createdAt', ${time("a.created_at")}, 'endsAt', ${time("a.ends_at")},
    'lastUsedAt', ${time("date_trunc('minute', to_timestamp(w.hits[cardinality(w.hits)] / 1000000))")},
    'revokedAt', ${time("a.revoked_at")}
  )::text
`

/** An agent `a` that is not revoked, and whose time, if it has one, is not over. */
export const GOES_ON = sql`a.revoked_at is null and (a.ends_at is null or a.ends_at > clock_timestamp())`

const selectFull = (store: StoreId) => sql`
  select 1 from agents a where a.store_id = ${store} and ${GOES_ON} offset ${constant(MAX_AGENTS - 1)} limit 1
`

/** What differs between agents whose token a member is shown, and those that come by consent: for a time, if it has an end. */
interface Kept {
  readonly tokenHash: Buffer | null
  readonly days: number | null
}

interface AgentRow extends Kept {
  readonly name: string
  readonly scopes: string
  readonly budget: number
  readonly window: number
  readonly proposalsOnly: boolean
  readonly by: MerchantId
}

const insertAgent = (store: StoreId, agent: AgentRow) => sql`
  with a as (
    insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by, ends_at)
    values (
      ${store}, uuid_v7(clock_micros()), ${agent.tokenHash}, ${agent.name}, ${agent.scopes}, ${agent.budget},
      ${agent.window}, ${agent.proposalsOnly}, ${agent.by}, clock_timestamp() + ${agent.days}::integer * interval '1 day'
    ) returning *
  ), w as (
    insert into agent_windows (store_id, agent_id) select store_id, id from a returning hits
  )
  select a.id, ${AGENT} as json from a, w
`

/** What members administer of an agent: the rest it does itself, or tells of its end. */
export const administered = Schema.decodeSync(
  Schema.fromJsonString(Agent.mapFields(Struct.omit(["writesToday", "lastUsedAt", "revokedAt"])))
)

const madeOf = firstOf(Schema.Struct({ id: Schema.toType(AgentId), json: Schema.String }))

/** Makes an agent of a store, if it has fewer than it may. */
export const makeAgent = Effect.fnUntraced(function* (
  store: StoreId,
  by: MerchantId,
  { budget = BUDGET.usual, name, proposalsOnly = false, scopes, window = WINDOW.usual }: NewAgent,
  { days, tokenHash }: Kept
): Step<{ readonly id: AgentId; readonly json: string }, StoreNotFound | AgentLimitReached> {
  yield* lockedStore(store)
  if ((yield* countOf(selectFull(store))) > 0) return yield* new AgentLimitReached()
  const list = arrayOf([...new Set(scopes)])
  const row = { name, scopes: list, budget, window, proposalsOnly, by, days, tokenHash }
  const made = Option.getOrThrow(yield* madeOf(insertAgent(store, row)))
  yield* withClient((sql) => recordAdministered(sql, store, "agent", made.id, null, administered(made.json)))
  return made
})
