import { Effect, Layer, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import {
  ProposalOutdated,
  MAX_PENDING,
  PENDING_DAYS,
  ProposalDecided,
  ProposalId,
  ProposalNotFound,
  Proposals,
  type ProposalsRequest,
  ProposalStatus,
  READABLE_DAYS,
  TooManyProposals
} from "../../domain/access/Proposals.ts"
import { AgentId, type MerchantId } from "../../domain/Actor.ts"
import type { JsonText } from "../../domain/Document.ts"
import { parse } from "../../domain/Json.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Change } from "../../domain/Write.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, type Fragment, sql } from "../sql/Statement.ts"
import { END, pageOf, START } from "../Pages.ts"
import { purgeOf } from "../Purging.ts"
import { time } from "../Times.ts"
import { traced } from "../Traced.ts"
import { observeChanges, tried } from "../Writes.ts"
import { spend } from "./Budget.ts"
import { column } from "../sql/Column.ts"

const STATUS = sql`case when status = 'pending' and expires_at <= clock_timestamp() then 'expired' else status end`

/** A proposal as it is returned, the digits of its payload as they were sent. */
const PROPOSAL = sql`
  json_build_object(
    'id', id, 'agentId', agent_id, 'procedure', procedure, 'payload', payload, 'ground', ground, 'status', ${STATUS},
    'reason', reason, 'decidedBy', decided_by, 'decidedAt', ${time("decided_at")}, 'result', result,
    'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
  )::text
`

/** What its agent is answered. */
const PROPOSED = sql`
  json_build_object(
    'id', id, 'status', status, 'ground', ground, 'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
  )::text
`

const PENDING = sql`status = 'pending' and expires_at > clock_timestamp()`

/** The proposal, if it is the agent's; of any agent where that is null. */
const ownedBy = (store: StoreId, id: ProposalId, agent: AgentId | null) =>
  sql`store_id = ${store} and id = ${id} and (${agent}::uuid is null or agent_id = ${agent})`

/** A page of the rows, oldest first. */
const pageFrom = (rows: Fragment, limit: number) => sql`
  with page as (
    select id, ${PROPOSAL} as proposal,
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

/** A page of the rows, newest first. */
const pageBackwards = (rows: Fragment, limit: number) => sql`
  with page as (
    select id, ${PROPOSAL} as proposal,
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

const select = (store: StoreId, { agentId, cursor, isPending, limit }: ProposalsRequest) => {
  if (isPending === undefined) {
    return pageFrom(sql`proposals_after(${store}, ${cursor ?? START}, ${agentId}, ${limit} + 1)`, limit)
  }
  if (!isPending) {
    return pageBackwards(sql`settled_proposals_before(${store}, ${cursor ?? END}, ${agentId}, ${limit} + 1)`, limit)
  }
  return pageFrom(
    sql`proposals where store_id = ${store} and id > ${cursor ?? START}
      and (${agentId}::uuid is null or agent_id = ${agentId}) and ${PENDING}`,
    limit
  )
}

const selectProposal = (store: StoreId, id: ProposalId, agent: AgentId | null) =>
  sql`select ${PROPOSAL} as json from proposals where ${ownedBy(store, id, agent)}`

const selectAsked = (store: StoreId, id: ProposalId) => sql`
  select agent_id as "agentId", procedure, payload::text as payload from proposals
  where store_id = ${store} and id = ${id}
`

const countPending = (store: StoreId, agent: AgentId) => sql`
  select 1 from proposals
  where store_id = ${store} and agent_id = ${agent} and ${PENDING} offset ${constant(MAX_PENDING - 1)} limit 1
`

const insertProposal = (store: StoreId, agent: AgentId, procedure: string, payload: string, ground: string) => sql`
  insert into proposals (store_id, id, agent_id, procedure, payload, ground, created_at, expires_at)
  select ${store}, uuid_v7(clock_micros()), ${agent}, ${procedure}, ${payload}, ${ground}, now,
    now + interval '${constant(PENDING_DAYS)} days'
  from (select date_trunc('milliseconds', clock_timestamp()) as now offset 0) as clock
  returning ${PROPOSED} as json
`

const lockPending = (store: StoreId, id: ProposalId) => sql`
  select ground::text as ground from proposals where store_id = ${store} and id = ${id} and ${PENDING} for no key update
`

interface Decision {
  readonly status: typeof ProposalStatus.Type
  readonly by: MerchantId | null
  readonly reason?: string | null
  readonly result?: ReadonlyArray<unknown>
}

const decide = (
  store: StoreId,
  id: ProposalId,
  agent: AgentId | null,
  { by, reason = null, result = [], status }: Decision
) => sql`
  update proposals set status = ${status}, reason = ${reason}, decided_by = ${by}, decided_at = clock_timestamp(),
    result = ${JSON.stringify(result)}
  where ${ownedBy(store, id, agent)} and ${PENDING} returning ${PROPOSAL} as json
`

const selectStatus = (store: StoreId, id: ProposalId, agent: AgentId | null) =>
  sql`select ${STATUS} as status from proposals where ${ownedBy(store, id, agent)}`

/** The first of what a proposal is based on that is at another version by now, if something is. */
const selectMoved = (store: StoreId, id: ProposalId) => sql`
  select g.resource, g.id, g.version as proposed, current
  from proposals p, json_to_recordset(p.ground) as g (resource text, id uuid, version integer), lateral (
    select case g.resource
      when 'product' then (select version from products where store_id = ${store} and id = g.id)
      else (select version from collections where store_id = ${store} and id = g.id)
    end as current
  ) as now
  where p.store_id = ${store} and p.id = ${id} and current is distinct from g.version limit 1
`

const Moved = Schema.Struct({
  resource: ProposalOutdated.fields.resource,
  id: Schema.String,
  proposed: Schema.Int,
  current: Schema.NullOr(Schema.Int)
})

const Json = column("json", Schema.String)

const decodePayload = compileTrustedDecoder(Schema.Record(Schema.String, Schema.Unknown))

const AskedRow = Schema.Struct({
  agentId: Schema.toType(AgentId),
  procedure: Schema.String,
  payload: Schema.String
})

const jsonOf = firstOf(Json)
const movedOf = firstOf(Moved)
const statusOf = firstOf(Schema.Struct({ status: ProposalStatus }))

const Ground = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ ...Moved.mapFields(Struct.pick(["resource", "id"])).fields, version: Schema.Int }))
)

const lockedOf = firstOf(Schema.Struct({ ground: Ground }))

/** What changes were based on: the resources that were there before them. */
const groundOf = (changes: ReadonlyArray<Change>) =>
  changes.flatMap(({ after, before, resource, resourceId, version }) =>
    before === null || version === null
      ? []
      : [{ resource, id: resourceId, version: after === null ? version : version - 1 }]
  )

/** What changes left. */
const resultOf = (changes: ReadonlyArray<Change>) =>
  changes.map(({ resource, resourceId, version }) => ({ resource, id: resourceId, version }))

/** Why a proposal cannot be decided. */
const whyNot = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProposalId,
  agent: AgentId | null
): Step<never, ProposalNotFound | ProposalDecided> {
  const found = yield* statusOf(selectStatus(store, id, agent))
  return yield* Effect.fail(Option.isNone(found) ? new ProposalNotFound({ id }) : new ProposalDecided(found.value))
})

/** Decides a proposal that is pending, which of several who would at once only one does. */
const decided = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProposalId,
  agent: AgentId | null,
  decision: Decision
): Step<JsonText, ProposalNotFound | ProposalDecided> {
  const done = yield* jsonOf(decide(store, id, agent, decision))
  return Option.isSome(done) ? done.value : yield* whyNot(store, id, agent)
})

/** Refuses where what the proposal is based on is at another version. */
const requireGround = Effect.fnUntraced(function* (store: StoreId, id: ProposalId): Step<void, ProposalOutdated> {
  const moved = yield* movedOf(selectMoved(store, id))
  if (Option.isSome(moved)) yield* new ProposalOutdated(moved.value)
})

/** Refuses where what was changed was at another version: by a write that came in between. */
const requireSame = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProposalId,
  ground: typeof Ground.Type,
  changes: ReadonlyArray<Change>
): Step<void, ProposalOutdated> {
  const found = groundOf(changes)
  for (const { version: proposed, ...its } of ground) {
    const now = found.find((one) => one.id === its.id)
    if (now === undefined) yield* requireGround(store, id)
    else if (now.version !== proposed) yield* new ProposalOutdated({ ...its, proposed, current: now.version })
  }
})

export const ProposalsLive = Layer.effect(
  Proposals,
  Effect.map(Database, (database) => {
    const page = pageOf(database, ProposalId)
    const proposalOf = database.first(Json)
    const askedOf = database.first(AskedRow)

    return Proposals.of({
      propose: (store, { agentId, payload, procedure }, write) =>
        Effect.gen(function* () {
          const { changes, value } = yield* tried(write)
          if (changes.length === 0) return { unchanged: value }
          yield* lockedStore(store)
          yield* spend(store, agentId, "proposal")
          if ((yield* countOf(countPending(store, agentId))) > 0) return yield* new TooManyProposals()
          const ground = JSON.stringify(groundOf(changes))
          return {
            proposed: Option.getOrThrow(yield* jsonOf(insertProposal(store, agentId, procedure, payload, ground)))
          }
        }),

      list: (store, request) => traced("Proposals.list")(page(select(store, request))),

      get: Effect.fn("Proposals.get")((store, id, agent) =>
        Effect.flatMap(proposalOf(selectProposal(store, id, agent)), (found) =>
          Effect.mapError(Effect.fromOption(found), () => new ProposalNotFound({ id }))
        )
      ),

      proposedCall: Effect.fn("Proposals.proposedCall")((store, id) =>
        Effect.flatMap(
          askedOf(selectAsked(store, id)),
          Option.match({
            onNone: () => new ProposalNotFound({ id }),
            onSome: ({ payload, ...asked }) => Effect.succeed({ ...asked, payload: decodePayload(parse(payload)) })
          })
        )
      ),

      approve: (store, id, by, write) =>
        Effect.gen(function* () {
          const held = yield* lockedOf(lockPending(store, id))
          if (Option.isNone(held)) return yield* whyNot(store, id, null)
          yield* requireGround(store, id)
          const changes: Array<Change> = []
          yield* observeChanges(write, (some) => changes.push(...some))
          yield* requireSame(store, id, held.value.ground, changes)
          return yield* decided(store, id, null, { status: "approved", by, result: resultOf(changes) })
        }),

      reject: (store, id, by, reason) => decided(store, id, null, { status: "rejected", by, reason }),

      withdraw: (store, id, agent) => decided(store, id, agent, { status: "withdrawn", by: null }),

      purge: database.count(
        purgeOf({ table: "proposals", key: ["store_id", "id"], kept: `${READABLE_DAYS - PENDING_DAYS} days` })
      )
    })
  })
)
