import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { ApprovalNeeded, BudgetSpent } from "../../domain/access/Agents.ts"
import {
  MAX_PENDING,
  type NewProposal,
  PENDING_DAYS,
  ProposalDecided,
  ProposalId,
  ProposalNotFound,
  ProposalOutdated,
  type ProposalResult,
  Proposals,
  type ProposalsRequest,
  ProposalStatus,
  READABLE_DAYS,
  TooManyProposals
} from "../../domain/access/Proposals.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { AgentId, type MerchantId } from "../../domain/access/Ids.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { Change, Write } from "../../domain/Write.ts"
import { currentVersion } from "../journal/CatalogTables.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { END, pageReader, START } from "../sql/Pages.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { orDefect, orDefectExcept } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { time } from "../sql/Times.ts"
import { traced } from "../Traced.ts"
import { collectChanges, observeChanges } from "../Writes.ts"
import { spend } from "./Budget.ts"

/** Errors of {@link Proposals} `propose`, besides those of the write. */
type ProposeRefused = StoreNotFound | InvalidToken | ApprovalNeeded | BudgetSpent | TooManyProposals

interface JsonRow {
  readonly json: string
}

/** Resource that a proposal is based on, at another version than proposed. */
type OutdatedRow = Pick<ProposalOutdated, "resource" | "id" | "proposed" | "current">

interface Decision {
  readonly status: typeof ProposalStatus.Type
  readonly by: MerchantId | null
  readonly reason?: string | null
  readonly result?: ReadonlyArray<unknown>
}

/** Resources that a proposal is based on, with their versions. */
const Ground = Schema.Array(
  Schema.Struct({ resource: ProposalOutdated.fields.resource, id: Schema.String, version: Schema.Int })
)

const decodeGround = Schema.decodeUnknownEffect(Schema.Struct({ ground: Schema.fromJsonString(Ground) }))

const decodeStatus = Schema.decodeUnknownEffect(Schema.Struct({ status: ProposalStatus }))

const decodeCall = Schema.decodeUnknownEffect(
  Schema.Struct({ agentId: Schema.toType(AgentId), procedure: Schema.String, payload: Schema.String })
)

const decodePayload = Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.Unknown))

const readProposals = pageReader(ProposalId)

/** Returns the resources that changes were based on, with their versions. Created resources have none. */
const groundOf = (changes: ReadonlyArray<Change>) =>
  changes.flatMap(({ after, before, resource, resourceId, version }) =>
    before === null || version === null
      ? []
      : [{ resource, id: resourceId, version: after === null ? version : version - 1 }]
  )

const resultOf = (changes: ReadonlyArray<Change>) =>
  changes.map(({ resource, resourceId, version }) => ({ resource, id: resourceId, version }))

export const ProposalsLive = Layer.effect(
  Proposals,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockStore } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork

    const currentStatus = sql`
      case when status = 'pending' and expires_at <= statement_timestamp() then 'expired' else status end
    `

    const isPending = sql`status = 'pending' and expires_at > clock_timestamp()`

    /** Proposal as JSON. */
    const proposalJson = sql`
      json_build_object(
        'id', id, 'agentId', agent_id, 'procedure', procedure, 'payload', payload, 'ground', ground,
        'status', ${currentStatus}, 'reason', reason, 'decidedBy', decided_by, 'decidedAt', ${time("decided_at")},
        'result', result,
        'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
      )::text
    `

    /** Condition of a proposal of the store. If `agent` is given, only a proposal of that agent. */
    const isProposal = (store: StoreId, id: ProposalId, agent: AgentId | null) =>
      sql`store_id = ${store} and id = ${id} and (${agent}::uuid is null or agent_id = ${agent})`

    /** Page of proposals in ascending order of id. */
    const selectAscending = (rows: Statement.Fragment, limit: number) => sql`
      with page as (
        select id, ${proposalJson} as proposal,
          count(*) over before < ${limit}
            and coalesce(sum(octet_length(payload::text)) over before, 0) < ${PAGE_BYTES} as fits
        from ${rows} window before as (order by id rows between unbounded preceding and 1 preceding)
        order by id limit ${limit} + 1
      )
      select
        '[' || coalesce(string_agg(proposal, ',' order by id) filter (where fits), '') || ']' as items,
        case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
      from page
    `

    /** Page of proposals in descending order of id. */
    const selectDescending = (rows: Statement.Fragment, limit: number) => sql`
      with page as (
        select id, ${proposalJson} as proposal,
          count(*) over before < ${limit}
            and coalesce(sum(octet_length(payload::text)) over before, 0) < ${PAGE_BYTES} as fits
        from ${rows} window before as (order by id desc rows between unbounded preceding and 1 preceding)
        order by id desc limit ${limit} + 1
      )
      select
        '[' || coalesce(string_agg(proposal, ',' order by id desc) filter (where fits), '') || ']' as items,
        case when not bool_and(fits) then min(id::text) filter (where fits) end as "nextCursor"
      from page
    `

    const selectPage = (store: StoreId, { agentId, cursor, isPending: pending, limit }: ProposalsRequest) => {
      if (pending === undefined) {
        return selectAscending(sql`proposals_after(${store}, ${cursor ?? START}, ${agentId}, ${limit} + 1)`, limit)
      }
      if (!pending) {
        return selectDescending(
          sql`settled_proposals_before(${store}, ${cursor ?? END}, ${agentId}, ${limit} + 1)`,
          limit
        )
      }
      return selectAscending(
        sql`proposals where store_id = ${store} and id > ${cursor ?? START}
          and (${agentId}::uuid is null or agent_id = ${agentId}) and ${isPending}`,
        limit
      )
    }

    /** Fails with the reason why a proposal cannot be decided. */
    const failUndecidable = Effect.fnUntraced(function* (store: StoreId, id: ProposalId, agent: AgentId | null) {
      const [row] = yield* sql`select ${currentStatus} as status from proposals where ${isProposal(store, id, agent)}`
      return yield* row === undefined ? new ProposalNotFound({ id }) : new ProposalDecided(yield* decodeStatus(row))
    })

    /** Decides a pending proposal. One of several concurrent decisions succeeds. */
    const decide = Effect.fnUntraced(function* (
      store: StoreId,
      id: ProposalId,
      agent: AgentId | null,
      { by, reason = null, result = [], status }: Decision
    ) {
      const [row] = yield* sql<JsonRow>`
        with decided as (
          update proposals set status = ${status}, reason = ${reason}, decided_by = ${by},
            decided_at = statement_timestamp(), result = ${JSON.stringify(result)}
          where ${isProposal(store, id, agent)} and ${isPending}
          returning *
        )
        select ${proposalJson} as json from decided
      `
      return row === undefined ? yield* failUndecidable(store, id, agent) : row.json
    })

    /** Fails if a resource that the proposal is based on has another version. */
    const requireCurrent = Effect.fnUntraced(function* (store: StoreId, id: ProposalId) {
      const [outdated] = yield* sql<OutdatedRow>`
        select g.resource, g.id, g.version as proposed, current
        from proposals p, json_to_recordset(p.ground) as g (resource text, id uuid, version integer), lateral (
          select ${currentVersion(sql`p.store_id`, sql`g.resource`, sql`g.id`)} as current
        ) as now
        where p.store_id = ${store} and p.id = ${id} and current is distinct from g.version limit 1
      `
      if (outdated !== undefined) yield* new ProposalOutdated(outdated)
    })

    /** Fails if the changes were based on other versions than the proposal, because of a write in between. */
    const requireSameGround = Effect.fnUntraced(function* (
      store: StoreId,
      id: ProposalId,
      ground: typeof Ground.Type,
      changes: ReadonlyArray<Change>
    ) {
      const actual = groundOf(changes)
      for (const { version: proposed, ...resource } of ground) {
        const changed = actual.find((one) => one.id === resource.id)
        if (changed === undefined) yield* requireCurrent(store, id)
        else if (changed.version !== proposed) {
          yield* new ProposalOutdated({ ...resource, proposed, current: changed.version })
        }
      }
    })

    return Proposals.of({
      propose: <A, E>(
        store: StoreId,
        { agentId, payload, procedure }: NewProposal,
        write: Write<A, E>
      ): Write<ProposalResult<A>, E | ProposeRefused> =>
        Effect.gen(function* () {
          const { changes, value } = yield* unitOfWork.tryOut(collectChanges(write))
          if (changes.length === 0) return { unchanged: value }
          yield* lockStore(store)
          yield* spend(sql, store, agentId, "proposal")
          const last = yield* sql`
            select 1 from proposals
            where store_id = ${store} and agent_id = ${agentId} and ${isPending}
            offset ${constant(MAX_PENDING - 1)} limit 1
          `
          if (last.length > 0) return yield* new TooManyProposals()
          const [proposal] = yield* sql<JsonRow>`
            with proposed as (
              insert into proposals (store_id, id, agent_id, procedure, payload, ground, created_at, expires_at)
              select ${store}, uuid_v7(clock_micros()), ${agentId}, ${procedure}, ${payload},
                ${JSON.stringify(groundOf(changes))}, now, now + interval '${constant(PENDING_DAYS)} days'
              from (select date_trunc('milliseconds', statement_timestamp()) as now offset 0) as clock
              returning id, status, ground, created_at, expires_at
            )
            select json_build_object(
              'id', id, 'status', status, 'ground', ground, 'createdAt', ${time("created_at")},
              'expiresAt', ${time("expires_at")}
            )::text as json
            from proposed
          `
          return { proposed: proposal?.json ?? "" }
        }).pipe(orDefectExcept<E | ProposeRefused>()),

      list: (store, request) => readProposals(selectPage(store, request)).pipe(orDefect, traced("Proposals.list")),

      get: Effect.fn("Proposals.get")(function* (store, id, agent) {
        const [proposal] = yield* sql<JsonRow>`
          select ${proposalJson} as json from proposals where ${isProposal(store, id, agent)}
        `
        return proposal === undefined ? yield* new ProposalNotFound({ id }) : proposal.json
      }, orDefect),

      proposedCall: Effect.fn("Proposals.proposedCall")(function* (store, id) {
        const [row] = yield* sql`
          select agent_id as "agentId", procedure, payload::text as payload from proposals
          where store_id = ${store} and id = ${id}
        `
        if (row === undefined) return yield* new ProposalNotFound({ id })
        const { payload, ...call } = yield* decodeCall(row)
        return { ...call, payload: yield* decodePayload(JSON.parse(payload)) }
      }, orDefect),

      approve: <A, E>(
        store: StoreId,
        id: ProposalId,
        by: MerchantId,
        write: Write<A, E>
      ): Write<string, E | ProposalNotFound | ProposalDecided | ProposalOutdated> =>
        Effect.gen(function* () {
          const [row] = yield* sql`
            select ground::text as ground from proposals where store_id = ${store} and id = ${id} and ${isPending}
            for no key update
          `
          if (row === undefined) return yield* failUndecidable(store, id, null)
          const { ground } = yield* decodeGround(row)
          yield* requireCurrent(store, id)
          const changes: Array<Change> = []
          yield* observeChanges(write, (some) => changes.push(...some))
          yield* requireSameGround(store, id, ground, changes)
          return yield* decide(store, id, null, { status: "approved", by, result: resultOf(changes) })
        }).pipe(orDefectExcept<E | ProposalNotFound | ProposalDecided | ProposalOutdated>()),

      reject: (store, id, by, reason) => decide(store, id, null, { status: "rejected", by, reason }).pipe(orDefect),

      withdraw: (store, id, agent) => decide(store, id, agent, { status: "withdrawn", by: null }).pipe(orDefect),

      purge: orDefect(
        rowCount(
          sql`${purgeExpired({
            table: "proposals",
            key: ["store_id", "id"],
            retention: `${READABLE_DAYS - PENDING_DAYS} days`
          })}`
        )
      )
    })
  })
)
