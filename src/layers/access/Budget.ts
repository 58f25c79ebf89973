import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApprovalNeeded, BudgetSpent } from "../../domain/access/Agents.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import type { AgentId } from "../../domain/access/Ids.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"

const readRefusal = rowReader(
  Schema.Struct({
    isRevoked: Schema.Boolean,
    needsApproval: Schema.Boolean,
    budget: Schema.Int,
    left: Schema.Int,
    renewsAt: Schema.String
  })
)

/** Daily budgets of agents. */
export class Budget extends Context.Service<Budget>()("layers/access/Budget", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /**
       * Counts writes or a proposal of an agent against its budget of the day (UTC, by the clock of the database). The row is
       * locked until the commit: a revocation waits for the write, and the write for a revocation. A write that waited past
       * midnight has the date of the day before, so the date of the row never goes back. A date in the future, after the
       * clock was set back, counts as today.
       */
      spend: Effect.fn("Budget.spend")(function* (
        store: StoreId,
        agent: AgentId,
        kind: "write" | "proposal",
        count = 1
      ) {
        const isProposal = kind === "proposal"
        const counted = yield* sql`
          update agents a
          set writes = case when written_on < today then 0 else writes end + ${count},
            written_on = greatest(written_on, today)
          from (select (statement_timestamp() at time zone 'UTC')::date as today offset 0) as clock
          where store_id = ${store} and id = ${agent} and revoked_at is null and (not proposals_only or ${isProposal})
            and case when written_on < today then 0 else writes end + ${count} <= budget
          returning id
        `
        if (counted.length > 0) return
        const refusal = yield* readRefusal(sql`
          select
            revoked_at is not null as "isRevoked", proposals_only and not ${isProposal} as "needsApproval", budget,
            greatest(0, budget - case when written_on < today then 0 else writes end) as "left",
            to_char(
              greatest(written_on, today) + 1, 'YYYY-MM-DD"T"00:00:00.000"Z"'
            ) as "renewsAt"
          from agents, (select (statement_timestamp() at time zone 'UTC')::date as today offset 0) as clock
          where store_id = ${store} and id = ${agent}
        `)
        if (Option.isNone(refusal) || refusal.value.isRevoked) return yield* new InvalidToken()
        const { budget, left, needsApproval, renewsAt } = refusal.value
        return yield* needsApproval ? new ApprovalNeeded() : new BudgetSpent({ budget, left, needed: count, renewsAt })
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
