import { Effect, Option, Schema, Struct } from "effect"
import { Agent, AgentLimitReached, BUDGET, MAX_AGENTS, type NewAgent, WINDOW } from "../../domain/access/Agents.ts"
import { AgentId, type MerchantId } from "../../domain/Actor.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Step } from "../database/Plan.ts"
import { statement } from "../database/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { arrayOf } from "../Lists.ts"
import { time } from "../Times.ts"
import { SPENT } from "./Budget.ts"

/** An agent as it is returned: `a`, and its window `w`, of which the last hit is when it was last used. */
export const AGENT = `
  json_build_object(
    'id', a.id, 'name', a.name, 'scopes', a.scopes, 'budget', a.budget, 'window', a.requests,
    'proposalsOnly', a.proposals_only, 'writesToday', ${SPENT},
    'createdBy', a.created_by, 'createdAt', ${time("a.created_at")}, 'endsAt', ${time("a.ends_at")},
    'lastUsedAt', ${time("date_trunc('minute', to_timestamp(w.hits[cardinality(w.hits)] / 1000000))")},
    'revokedAt', ${time("a.revoked_at")}
  )::text
`

/** An agent `a` that is not revoked, and whose time, if it has one, is not over. */
export const GOES_ON = "a.revoked_at is null and (a.ends_at is null or a.ends_at > clock_timestamp())"

const selectFull = statement(`
  select 1 from agents a where a.store_id = $1 and ${GOES_ON} offset ${MAX_AGENTS - 1} limit 1
`)

const insertAgent = statement(`
  with a as (
    insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by, ends_at)
    values (
      $1, uuid_v7(clock_micros()), $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + $9::integer * interval '1 day'
    ) returning *
  ), w as (
    insert into agent_windows (store_id, agent_id) select store_id, id from a returning hits
  )
  select a.id, ${AGENT} as json from a, w
`)

/** What members administer of an agent: the rest it does itself, or tells of its end. */
export const administered = Schema.decodeSync(
  Schema.fromJsonString(Agent.mapFields(Struct.omit(["writesToday", "lastUsedAt", "revokedAt"])))
)

const madeOf = firstOf(Schema.Struct({ id: Schema.toType(AgentId), json: Schema.String }))

/** What differs between agents whose token a member is shown, and those that come by consent: for a time, if it has an end. */
interface Kept {
  readonly tokenHash: Buffer | null
  readonly days: number | null
}

/** Makes an agent of a store, if it has fewer than it may. */
export const makeAgent = Effect.fnUntraced(function* (
  store: StoreId,
  by: MerchantId,
  { budget = BUDGET.usual, name, proposalsOnly = false, scopes, window = WINDOW.usual }: NewAgent,
  { days, tokenHash }: Kept
): Step<{ readonly id: AgentId; readonly json: string }, StoreNotFound | AgentLimitReached> {
  yield* lockedStore(store)
  if ((yield* countOf(selectFull(store))) > 0) return yield* new AgentLimitReached()
  const values = [name, arrayOf([...new Set(scopes)]), budget, window, proposalsOnly, by, days]
  const made = Option.getOrThrow(yield* madeOf(insertAgent(store, tokenHash, ...values)))
  yield* recordAdministered(store, "agent", made.id, null, administered(made.json))
  return made
})
