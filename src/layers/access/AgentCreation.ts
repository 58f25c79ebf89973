import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Agent, AgentLimitReached, BUDGET, MAX_AGENTS, type NewAgent, WINDOW } from "../../domain/access/Agents.ts"
import { AgentId, type MerchantId } from "../../domain/access/Ids.ts"
import type { StoreId } from "../../domain/Store.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { constant, sql as fragment } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"

/** Agent `a` with its window `w` as JSON. The last hit of the window is the time of last use. */
export const AGENT = fragment`
  json_build_object(
    'id', a.id, 'name', a.name, 'scopes', a.scopes, 'budget', a.budget, 'window', a.requests,
    'proposalsOnly', a.proposals_only,
    'writesToday', case when a.written_on < (statement_timestamp() at time zone 'UTC')::date then 0 else a.writes end,
    'createdBy', a.created_by, 'createdAt', ${time("a.created_at")}, 'endsAt', ${time("a.ends_at")},
    'lastUsedAt', ${time("date_trunc('minute', to_timestamp(w.hits[cardinality(w.hits)] / 1000000))")},
    'revokedAt', ${time("a.revoked_at")}
  )::text
`

/** Condition of agents `a` that are neither revoked nor expired. */
export const IS_ACTIVE = fragment`a.revoked_at is null and (a.ends_at is null or a.ends_at > clock_timestamp())`

/** Decodes the fields that members administer. The journal does not record the others. */
export const decodeAdministered = Schema.decodeEffect(
  Schema.fromJsonString(Agent.mapFields(Struct.omit(["writesToday", "lastUsedAt", "revokedAt"])))
)

/** Token of a new agent, or null if it is issued after consent; and days until the agent expires, if it does. */
interface Credential {
  readonly tokenHash: Buffer | null
  readonly days: number | null
}

const readCreated = requiredRowReader(Schema.Struct({ id: Schema.toType(AgentId), json: Schema.String }))

/** Creates agents, with a token or through consent. */
export class AgentCreation extends Context.Service<AgentCreation>()("layers/access/AgentCreation", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockStore } = yield* StoreAllocation
    const { record: recordAdministered } = yield* AdministeredChanges

    return {
      /** Creates an agent of a store unless the store has the maximum number of agents. */
      create: Effect.fn("AgentCreation.create")(function* (
        store: StoreId,
        by: MerchantId,
        { budget = BUDGET.usual, name, proposalsOnly = false, scopes, window = WINDOW.usual }: NewAgent,
        { days, tokenHash }: Credential
      ) {
        yield* lockStore(store)
        const last = yield* sql`
          select 1 from agents a where a.store_id = ${store} and ${IS_ACTIVE} offset ${constant(MAX_AGENTS - 1)} limit 1
        `
        if (last.length > 0) return yield* new AgentLimitReached()
        const agent = yield* readCreated(sql`
          with a as (
            insert into agents (
              store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by, ends_at
            )
            values (
              ${store}, uuid_v7(clock_micros()), ${tokenHash}, ${name}, ${textArray([...new Set(scopes)])}, ${budget},
              ${window}, ${proposalsOnly}, ${by}, statement_timestamp() + ${days}::integer * interval '1 day'
            ) returning *
          ), w as (
            insert into agent_windows (store_id, agent_id) select store_id, id from a returning hits
          )
          select a.id, ${AGENT} as json from a, w
        `)
        yield* recordAdministered(store, "agent", agent.id, null, yield* decodeAdministered(agent.json))
        return agent
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
