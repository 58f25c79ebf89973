import { Effect, Option, Schema } from "effect"
import { ApprovalNeeded, BudgetSpent } from "../../domain/access/Agents.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import type { AgentId } from "../../domain/Actor.ts"
import type { StoreId } from "../../domain/Store.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"

/** The day that budgets are of, by the database's clock. */
const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`

/** What an agent has spent of its budget. A day that is to come, by a clock that was set back, is today's. */
export const SPENT = sql`case when written_on < ${TODAY} then 0 else writes end`

/**
 * Counts a write, if there is one left of the day and the agent may make it. The row is held until the commit, so that
 * who revokes the agent waits for the write, and a write for who revokes it. Who waited may come with yesterday's date.
 */
const countWrite = (store: StoreId, agent: AgentId, isProposal: boolean) => sql`
  update agents a
  set writes = case when written_on < today then 1 else writes + 1 end, written_on = greatest(written_on, today)
  from (select ${TODAY} as today offset 0) as clock
  where store_id = ${store} and id = ${agent} and revoked_at is null and (not proposals_only or ${isProposal})
    and case when written_on < today then 0 else writes end < budget
`

const selectWhy = (store: StoreId, agent: AgentId, isProposal: boolean) => sql`
  select
    revoked_at is not null as "isRevoked", proposals_only and not ${isProposal} as "isHeld", budget,
    to_char(greatest(written_on, ${TODAY}) + 1, 'YYYY-MM-DD"T"00:00:00.000"Z"') as "renewsAt"
  from agents where store_id = ${store} and id = ${agent}
`
const whyOf = firstOf(
  Schema.Struct({ isRevoked: Schema.Boolean, isHeld: Schema.Boolean, budget: Schema.Int, renewsAt: Schema.String })
)

/** Spends one of the writes of an agent's day: of one that is performed, or is kept as a proposal. */
export const spend = Effect.fnUntraced(function* (
  store: StoreId,
  agent: AgentId,
  as: "write" | "proposal"
): Step<void, InvalidToken | ApprovalNeeded | BudgetSpent> {
  const asked = [store, agent, as === "proposal"] as const
  if ((yield* countOf(countWrite(...asked))) > 0) return
  const { budget, isHeld, isRevoked, renewsAt } = Option.getOrThrow(yield* whyOf(selectWhy(...asked)))
  if (isRevoked) yield* new InvalidToken()
  yield* Effect.fail(isHeld ? new ApprovalNeeded() : new BudgetSpent({ budget, renewsAt }))
})
