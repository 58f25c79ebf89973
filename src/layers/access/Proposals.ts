import { Effect, Layer, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import {
  GroundMoved,
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
import { countOf, firstOf, type Step } from "../database/Plan.ts"
import { Database } from "../database/Postgres.ts"
import { statement } from "../database/Statement.ts"
import { END, pageOf, pageQuery, START } from "../Pages.ts"
import { purgeOf } from "../Purging.ts"
import { time } from "../Times.ts"
import { traced } from "../Traced.ts"
import { overheard, tried } from "../Writes.ts"
import { spend } from "./Budget.ts"
import { column } from "../database/Column.ts"

const STATUS = "case when status = 'pending' and expires_at <= clock_timestamp() then 'expired' else status end"

/** A proposal as it is returned, the digits of its payload as they were sent. */
const PROPOSAL = `
  json_build_object(
    'id', id, 'agentId', agent_id, 'procedure', procedure, 'payload', payload, 'ground', ground, 'status', ${STATUS},
    'reason', reason, 'decidedBy', decided_by, 'decidedAt', ${time("decided_at")}, 'result', result,
    'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
  )::text
`

/** What its agent is answered. */
const PROPOSED = `
  json_build_object(
    'id', id, 'status', status, 'ground', ground, 'createdAt', ${time("created_at")}, 'expiresAt', ${time("expires_at")}
  )::text
`

const PENDING = "status = 'pending' and expires_at > clock_timestamp()"

/** Of the agent that is asked about, or of any. */
const OWN = "store_id = $1 and id = $2 and ($3::uuid is null or agent_id = $3)"

const pageFrom = (rows: string, order: "ascending" | "descending" = "ascending") =>
  statement(
    pageQuery({
      columns: `${PROPOSAL} as proposal`,
      text: "proposal",
      bytes: "octet_length(payload::text)",
      rows,
      order
    })
  )
const selectPage = pageFrom("proposals_after($1, $4, $5, $2 + 1)")
const selectPending = pageFrom(
  `proposals where store_id = $1 and id > $4 and ($5::uuid is null or agent_id = $5) and ${PENDING}`
)
const selectSettled = pageFrom("settled_proposals_before($1, $4, $5, $2 + 1)", "descending")

const select = (store: StoreId, { agentId, cursor, isPending, limit }: ProposalsRequest) =>
  isPending === false
    ? selectSettled(store, limit, PAGE_BYTES, cursor ?? END, agentId)
    : (isPending === true ? selectPending : selectPage)(store, limit, PAGE_BYTES, cursor ?? START, agentId)

const selectProposal = statement(`select ${PROPOSAL} as json from proposals where ${OWN}`)

const selectAsked = statement(`
  select agent_id as "agentId", procedure, payload::text as payload from proposals where store_id = $1 and id = $2
`)

const countPending = statement(`
  select 1 from proposals where store_id = $1 and agent_id = $2 and ${PENDING} offset ${MAX_PENDING - 1} limit 1
`)

const insertProposal = statement(`
  insert into proposals (store_id, id, agent_id, procedure, payload, ground, created_at, expires_at)
  select $1, uuid_v7(clock_micros()), $2, $3, $4, $5, now, now + interval '${PENDING_DAYS} days'
  from (select date_trunc('milliseconds', clock_timestamp()) as now offset 0) as clock
  returning ${PROPOSED} as json
`)

const lockPending = statement(`
  select ground::text as ground from proposals where store_id = $1 and id = $2 and ${PENDING} for no key update
`)

const decide = statement(`
  update proposals set status = $4, reason = $5, decided_by = $6, decided_at = clock_timestamp(), result = $7
  where ${OWN} and ${PENDING} returning ${PROPOSAL} as json
`)

const selectStatus = statement(`select ${STATUS} as status from proposals where ${OWN}`)

/** The first of what a proposal is based on that is at another version by now, if something is. */
const selectMoved = statement(`
  select g.resource, g.id, g.version as proposed, current
  from proposals p, json_to_recordset(p.ground) as g (resource text, id uuid, version integer), lateral (
    select case g.resource
      when 'product' then (select version from products where store_id = $1 and id = g.id)
      else (select version from collections where store_id = $1 and id = g.id)
    end as current
  ) as now
  where p.store_id = $1 and p.id = $2 and current is distinct from g.version limit 1
`)

const Moved = Schema.Struct({
  resource: GroundMoved.fields.resource,
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
  status: typeof ProposalStatus.Type,
  by: MerchantId | null,
  reason: string | null = null,
  result: ReadonlyArray<unknown> = []
): Step<JsonText, ProposalNotFound | ProposalDecided> {
  const done = yield* jsonOf(decide(store, id, agent, status, reason, by, JSON.stringify(result)))
  return Option.isSome(done) ? done.value : yield* whyNot(store, id, agent)
})

/** Refuses where what the proposal is based on is at another version. */
const requireGround = Effect.fnUntraced(function* (store: StoreId, id: ProposalId): Step<void, GroundMoved> {
  const moved = yield* movedOf(selectMoved(store, id))
  if (Option.isSome(moved)) yield* new GroundMoved(moved.value)
})

/** Refuses where what was changed was at another version: by a write that came in between. */
const requireSame = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProposalId,
  ground: typeof Ground.Type,
  changes: ReadonlyArray<Change>
): Step<void, GroundMoved> {
  const found = groundOf(changes)
  for (const { version: proposed, ...its } of ground) {
    const now = found.find((one) => one.id === its.id)
    if (now === undefined) yield* requireGround(store, id)
    else if (now.version !== proposed) yield* new GroundMoved({ ...its, proposed, current: now.version })
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

      asked: Effect.fn("Proposals.asked")((store, id) =>
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
          yield* overheard(write, (some) => changes.push(...some))
          yield* requireSame(store, id, held.value.ground, changes)
          return yield* decided(store, id, null, "approved", by, null, resultOf(changes))
        }),

      reject: (store, id, by, reason) => decided(store, id, null, "rejected", by, reason),

      withdraw: (store, id, agent) => decided(store, id, agent, "withdrawn", null),

      purge: database.count(
        purgeOf({ table: "proposals", key: ["store_id", "id"], kept: `${READABLE_DAYS - PENDING_DAYS} days` })
      )
    })
  })
)
