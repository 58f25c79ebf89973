import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  MAX_PENDING,
  type NewProposal,
  PENDING_DAYS,
  ProposalDecided,
  ProposalId,
  ProposalNotFound,
  type ProposalOutdated,
  type ProposalResult,
  Proposals,
  type ProposalsRequest,
  ProposalStatus,
  READABLE_DAYS,
  TooManyProposals
} from "../../domain/access/Proposals.ts"
import { AgentId, type MerchantId } from "../../domain/access/Ids.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { Members } from "../../domain/journal/Conflicts.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Change, ChangeRecorder, Write } from "../../domain/Write.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { END, pageReader, selectPage, START } from "../sql/Pages.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { StoredColumn } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson, requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant, type Fragment } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { time } from "../sql/Times.ts"
import { collectChanges, observeChanges } from "../Writes.ts"
import { Budget } from "./Budget.ts"
import { proposalConflicts, versionsBefore } from "./ProposalConflicts.ts"

interface Decision {
  readonly status: typeof ProposalStatus.Type
  readonly by: MerchantId | null
  readonly reason?: string | null
  readonly result?: ReadonlyArray<unknown>
  readonly edited?: string | null
  readonly response?: JsonText | null
}

const readStatus = rowReader(Schema.Struct({ status: ProposalStatus }))

const readProposed = requiredRowReader(Schema.Struct({ proposed: Schema.String }))

/** Stored form of the input of a proposed procedure, which is decoded as a call when a member approves it. */
export const PayloadDocument = storedDocument(Schema.Record(Schema.String, Schema.Unknown))

const readCall = rowReader(
  Schema.Struct({
    agentId: Schema.toType(AgentId),
    status: ProposalStatus,
    procedure: Schema.String,
    payload: StoredColumn(PayloadDocument)
  })
)

const readProposals = pageReader(ProposalId)

const resultOf = (changes: ReadonlyArray<Change>) =>
  changes.map(({ resource, resourceId, version }) => ({ resource, id: resourceId, version }))

export const ProposalsLive = Layer.effect(
  Proposals,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockStore } = yield* StoreAllocation
    const { tryOut } = yield* UnitOfWork
    const { spend } = yield* Budget
    const { requireCurrent, requireSame } = yield* proposalConflicts

    const currentStatus = sql`
      case when status = 'pending' and expires_at <= statement_timestamp() then 'expired' else status end
    `

    const isPending = sql`status = 'pending' and expires_at > clock_timestamp()`

    /** Proposal as JSON. */
    const proposalJson = sql`
      json_build_object(
        'id', id, 'agentId', agent_id, 'procedure', procedure, 'payload', payload, 'edited', edited,
        'basedOn', based_on,
        'status', ${currentStatus}, 'reason', reason, 'decidedBy', decided_by, 'decidedAt', ${time("decided_at")},
        'result', result, 'response', response,
        'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
      )::text
    `

    /** Condition of a proposal of the store. If `agent` is given, only a proposal of that agent. */
    const isProposal = (store: StoreId, id: ProposalId, agent: AgentId | null) =>
      sql`store_id = ${store} and id = ${id} and (${agent}::uuid is null or agent_id = ${agent})`

    const selectProposals = (store: StoreId, { agentId, cursor, isPending: pending, limit }: ProposalsRequest) => {
      const select = (rows: Fragment, direction?: "desc") =>
        selectPage(sql, sql`select id, ${proposalJson} as json from ${rows}`, limit, direction)
      if (pending === undefined) {
        return select(sql`proposals_after(${store}, ${cursor ?? START}, ${agentId}, ${limit} + 1)`)
      }
      if (!pending) {
        return select(sql`settled_proposals_before(${store}, ${cursor ?? END}, ${agentId}, ${limit} + 1)`, "desc")
      }
      return select(sql`
        proposals where store_id = ${store} and id > ${cursor ?? START}
          and (${agentId}::uuid is null or agent_id = ${agentId}) and ${isPending}
      `)
    }

    /** Fails with the reason why a proposal cannot be decided. */
    const failUndecidable = Effect.fnUntraced(function* (store: StoreId, id: ProposalId, agent: AgentId | null) {
      const status = yield* readStatus(
        sql`select ${currentStatus} as status from proposals where ${isProposal(store, id, agent)}`
      )
      return yield* Option.isNone(status) ? new ProposalNotFound({ id }) : new ProposalDecided(status.value)
    }, orDefect)

    /** Decides a pending proposal. One of several concurrent decisions succeeds. */
    const decide = Effect.fnUntraced(function* (
      store: StoreId,
      id: ProposalId,
      agent: AgentId | null,
      { by, edited = null, reason = null, response = null, result = [], status }: Decision
    ) {
      const decided = yield* findJson(sql`
        with decided as (
          update proposals set status = ${status}, reason = ${reason}, decided_by = ${by},
            decided_at = statement_timestamp(), result = ${JSON.stringify(result)}, edited = ${edited},
            response = ${response}
          where ${isProposal(store, id, agent)} and ${isPending}
          returning *
        )
        select ${proposalJson} as json from decided
      `)
      return Option.isSome(decided) ? decided.value : yield* failUndecidable(store, id, agent)
    }, orDefect)

    /** Stores a proposal with the changes that it would make, unless the agent has the maximum number. */
    const insert = Effect.fnUntraced(function* (
      store: StoreId,
      { agentId, payload, procedure }: NewProposal,
      changes: ReadonlyArray<Change>
    ) {
      yield* lockStore(store)
      yield* spend(store, agentId, "proposal")
      const last = yield* sql`
        select 1 from proposals
        where store_id = ${store} and agent_id = ${agentId} and ${isPending}
        offset ${constant(MAX_PENDING - 1)} limit 1
      `
      if (last.length > 0) return yield* new TooManyProposals()
      return yield* readProposed(sql`
        with proposed as (
          insert into proposals (store_id, id, agent_id, procedure, payload, based_on, created_at, expires_at)
          select ${store}, uuid_v7(clock_micros()), ${agentId}, ${procedure}, ${payload},
            ${JSON.stringify(versionsBefore(changes))}, now, now + interval '${constant(PENDING_DAYS)} days'
          from (select date_trunc('milliseconds', statement_timestamp()) as now offset 0) as clock
          returning id, status, based_on, created_at, expires_at
        )
        select json_build_object(
          'id', id, 'status', status, 'basedOn', based_on, 'createdAt', ${time("created_at")},
          'expiresAt', ${time("expires_at")}
        )::text as proposed
        from proposed
      `)
    }, orDefect)

    /** Locks a pending proposal. */
    const lockPending = Effect.fnUntraced(function* (store: StoreId, id: ProposalId) {
      const locked = yield* sql`
        select from proposals where store_id = ${store} and id = ${id} and ${isPending} for no key update
      `
      if (locked.length === 0) yield* failUndecidable(store, id, null)
    }, orDefect)

    return Proposals.of({
      propose: Effect.fn("Proposals.propose")(function* <A, E>(
        store: StoreId,
        proposal: NewProposal,
        write: Write<A, E>
      ): Effect.fn.Return<ProposalResult<A>, E | Effect.Error<ReturnType<typeof insert>>, ChangeRecorder> {
        const { changes, value } = yield* tryOut(collectChanges(write))
        return changes.length === 0 && !proposal.isDeferred
          ? { unchanged: value }
          : yield* insert(store, proposal, changes)
      }),

      list: Effect.fn("Proposals.list")((store, request) => readProposals(selectProposals(store, request)), orDefect),

      get: Effect.fn("Proposals.get")(function* (store, id, agent) {
        const proposal = yield* findJson(sql`
          select ${proposalJson} as json from proposals where ${isProposal(store, id, agent)}
        `)
        return Option.isSome(proposal) ? proposal.value : yield* new ProposalNotFound({ id })
      }, orDefect),

      proposedCall: Effect.fn("Proposals.proposedCall")(function* (store, id) {
        const call = yield* readCall(sql`
          select agent_id as "agentId", ${currentStatus} as status, procedure, payload::text as payload from proposals
          where store_id = ${store} and id = ${id}
        `)
        return Option.isSome(call) ? call.value : yield* new ProposalNotFound({ id })
      }, orDefect),

      approve: Effect.fn("Proposals.approve")(function* <E>(
        store: StoreId,
        id: ProposalId,
        by: MerchantId,
        write: Write<JsonText | null, E>,
        touchedBy: (state: JsonObject) => Members,
        edited: string | null
      ): Effect.fn.Return<string, E | ProposalNotFound | ProposalDecided | ProposalOutdated, ChangeRecorder> {
        yield* lockPending(store, id)
        const read = yield* requireCurrent(store, id, touchedBy)
        const changes: Array<Change> = []
        const response = yield* observeChanges(write, (some) => changes.push(...some))
        yield* requireSame(store, id, read, touchedBy, changes)
        return yield* decide(store, id, null, { status: "approved", by, edited, response, result: resultOf(changes) })
      }),

      reject: Effect.fn("Proposals.reject")((store, id, by, reason) =>
        decide(store, id, null, { status: "rejected", by, reason })
      ),

      withdraw: Effect.fn("Proposals.withdraw")((store, id, agent) =>
        decide(store, id, agent, { status: "withdrawn", by: null })
      ),

      purge: rowCount(
        sql`${purgeExpired({
          table: "proposals",
          key: ["store_id", "id"],
          retention: `${READABLE_DAYS - PENDING_DAYS} days`
        })}`
      ).pipe(orDefect, Effect.withSpan("Proposals.purge"))
    })
  })
)
