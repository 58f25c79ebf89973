import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { FAILING_HOURS, PauseReason } from "../../domain/webhooks/Webhook.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { constant, type Fragment, sql as fragment } from "../sql/Statement.ts"
import type { Attempt } from "./Outgoing.ts"

/**
 * Seconds for which a worker owns a delivery that it claimed: ten for the request, the rest to record its result. Other
 * workers claim the deliveries of a dead worker after that.
 */
const LEASE_SECONDS = 20

/** Concurrent requests of one process to an endpoint that fails, which must not take the slots of the others. */
const MAX_FAILING_REQUESTS = 2

const INTERRUPTED = "The worker stopped before it recorded the result of this attempt"

const ClaimedDelivery = Schema.Struct({
  storeId: Schema.toType(StoreId),
  eventId: Schema.toType(EventId),
  installationId: Schema.toType(InstallationId),
  appId: Schema.toType(AppId),
  lease: Schema.String,
  attempt: Schema.Int,
  failures: Schema.Int,
  /** Unix seconds of the database's clock. */
  now: Schema.Number,
  /** Unix seconds at which the delivery was created. */
  createdAt: Schema.Number,
  /** Trace of the write that the delivery tells about (W3C Trace Context), if it was traced. */
  traceParent: Schema.NullOr(Schema.String),
  url: Schema.String,
  secret: Schema.String,
  /** The replaced secret while it still signs. */
  previousSecret: Schema.NullOr(Schema.String),
  payload: Schema.String,
  /** True for a developer's app, whose webhooks go to public addresses only. */
  isDeveloped: Schema.Boolean,
  /** True if the installation still receives events. */
  isActive: Schema.Boolean,
  /** Maximum number of concurrent requests of one process to this endpoint. */
  limit: Schema.Int,
  /** Maximum number of deliveries that this claim takes for this endpoint. */
  share: Schema.Int
})

/** Delivery that this worker owns until its lease ends. */
export type ClaimedDelivery = typeof ClaimedDelivery.Type

/** Result of an attempt. */
export interface DeliveryResult {
  readonly claimed: Omit<ClaimedDelivery, "payload">
  readonly outcome: "delivered" | "dead" | "canceled" | "retry"
  /** Seconds until the next attempt. */
  readonly delay: number
  /** The request for the log; null if none was made. */
  readonly attempt: Omit<Attempt, "headers"> | null
}

const EndpointTransition = Schema.Struct({
  appId: Schema.String,
  url: Schema.String,
  failing: Schema.Boolean,
  pauseReason: Schema.NullOr(PauseReason)
})

/** Endpoint that started to fail, recovered, or was paused. */
export type EndpointTransition = typeof EndpointTransition.Type

/** Maximum number of unfinished deliveries that are counted. */
const MAX_DEPTH = 100_000

/**
 * Inserts a failed attempt for each row of `deliveries` with an expired lease, which no worker recorded. `deliveries` names
 * a common table expression of locked rows, read before their leases change.
 */
export const insertInterruptedAttempts = (deliveries: string): Fragment => fragment`
  insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at, error)
  select
    store_id, event_id, installation_id, attempts, next_at - interval '${constant(LEASE_SECONDS)} seconds', ${INTERRUPTED}
  from ${fragment(deliveries)} where lease is not null
  on conflict do nothing
`

const readClaimed = rowsReader(ClaimedDelivery)
const readMeasurement = requiredRowReader(Schema.Struct({ depth: Schema.Int, age: Schema.Number }))
const readTransitions = rowsReader(EndpointTransition)

/** The queue of deliveries. Any number of worker processes can use it at once. */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()("layers/webhooks/DeliveryQueue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { endpointRequests } = yield* OperatorLimits
    const failingRequests = Math.min(MAX_FAILING_REQUESTS, endpointRequests)
    const lease = sql`interval '${constant(LEASE_SECONDS)} seconds'`
    const failingPeriod = sql`interval '${constant(FAILING_HOURS)} hours'`

    return {
      /**
       * Leases up to about `free` due deliveries, shared evenly among their endpoints. An endpoint gets at most its limit
       * minus the `busy` requests of this process. If there are more endpoints than slots, healthy ones come first: the
       * backlogs of dead ones would be older than anything new.
       *
       * A connection keeps the plan of this statement, even if it was made while the tables were empty. Therefore each
       * table is read by an index, by subqueries with a limit, and the rows are changed by `on conflict`, which uses the
       * key: for an UPDATE, the planner would expect a tenth of the backlog (docs/performance.md, Webhooks). The lease and
       * its end are computed in the SELECT, after the wait for installations that are being released.
       */
      claim: Effect.fn("DeliveryQueue.claim")(function* (free: number, busy: ReadonlyMap<AppId, number>) {
        return yield* readClaimed(sql`
        with recursive endpoint as (
          (
            select app_id, next_at from deliveries where finished_at is null
            order by app_id, next_at limit 1
          )
          union all
          select other.app_id, other.next_at from endpoint cross join lateral (
            select app_id, next_at from deliveries where finished_at is null and app_id > endpoint.app_id
            order by app_id, next_at limit 1
          ) other
        ), open as (
          select
            app_id, w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as previous,
            endpoint.next_at, w.failing_since is not null as failing, allowed.n as "limit",
            allowed.n - coalesce(busy.n, 0) as slots
          from endpoint
          join webhooks w using (app_id)
          left join unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::integer[]) as busy (app_id, n) using (app_id)
          cross join lateral (
            select case when w.failing_since is null then ${endpointRequests} else ${failingRequests} end::integer as n
          ) allowed
          where endpoint.next_at <= now() and w.paused_at is null and allowed.n > coalesce(busy.n, 0)
        ), chosen as (
          select *, least(slots, greatest(1, ${free}::integer / count(*) over ()))::integer as share
          from open order by failing, next_at limit ${free}::integer
        ), due as materialized (
          select d.* from chosen cross join lateral (
            select store_id, event_id, installation_id, app_id, attempts, lease, next_at from deliveries d
            where d.app_id = chosen.app_id and d.finished_at is null and d.next_at <= now()
            order by d.next_at limit chosen.share for update skip locked
          ) d
        ), held as materialized (
          -- Claims share the lock. A release either commits before it, or finds the deliveries that are held here.
          select due.store_id, due.event_id, due.installation_id, due.app_id from due cross join lateral (
            select from installations i
            where i.store_id = due.store_id and i.id = due.installation_id and i.held_at is not null
            limit 1 for share
          ) i
        ), interrupted as (
          ${insertInterruptedAttempts("due")}
        ), aside as (
          insert into deliveries as d (store_id, event_id, installation_id, app_id)
          select store_id, event_id, installation_id, app_id from held
          on conflict (store_id, event_id, installation_id) do update
          set outcome = 'held', finished_at = statement_timestamp(), lease = null
        ), claimed as (
          insert into deliveries as d (store_id, event_id, installation_id, app_id, lease, next_at)
          select store_id, event_id, installation_id, app_id, gen_random_uuid(), clock_timestamp() + ${lease} from due
          where (store_id, event_id, installation_id) not in (select store_id, event_id, installation_id from held)
          on conflict (store_id, event_id, installation_id) do update
          set lease = excluded.lease, next_at = excluded.next_at, attempts = d.attempts + 1
          returning store_id, event_id, installation_id, app_id, lease, attempts, failures, created_at
        )
        select
          c.store_id as "storeId", c.event_id as "eventId", c.installation_id as "installationId", c.app_id as "appId",
          c.lease, c.attempts as attempt, c.failures, extract(epoch from clock_timestamp())::float8 as now,
          extract(epoch from c.created_at)::float8 as "createdAt",
          chosen.url, chosen.secret, chosen.previous as "previousSecret", e.payload, e.trace_parent as "traceParent",
          developed.is_developed as "isDeveloped",
          coalesce(
            i.is_active and i.deleted_at is null and (i.installed_at is null or i.installed_at < c.created_at), false
          ) as "isActive", chosen.limit, chosen.share
        from claimed c
        join chosen using (app_id)
        cross join lateral (
          select developer_id is not null as is_developed from apps where id = c.app_id limit 1
        ) developed
        cross join lateral (
          select payload, trace_parent from events e where e.store_id = c.store_id and e.id = c.event_id limit 1
        ) e
        left join lateral (
          select i.is_active, i.installed_at, s.deleted_at from installations i join stores s on s.id = i.store_id
          where i.store_id = c.store_id and i.id = c.installation_id limit 1
        ) i on true
      `)
      }, orDefect),

      /** Number of unfinished deliveries, at most {@link MAX_DEPTH}, and seconds since the oldest active one became due. */
      measure: readMeasurement(sql`
        select count(*)::integer as depth,
          greatest(0, extract(epoch from now() - min(next_at) filter (where not is_paused)))::float8 as age
        from (
          select d.next_at, w.paused_at is not null as is_paused
          from deliveries d left join webhooks w using (app_id)
          where d.finished_at is null limit ${constant(MAX_DEPTH)}
        ) as unfinished
      `).pipe(orDefect, Effect.withSpan("DeliveryQueue.measure")),

      /**
       * Records results of deliveries that this worker still owns, and the state of their endpoints. The first failure
       * marks an endpoint as failing and a success clears that. A response of 410, or {@link FAILING_HOURS} hours of
       * failures, pause it. Results of a URL that was replaced meanwhile do not count. Returns the endpoints that changed.
       */
      recordResults: Effect.fn("DeliveryQueue.recordResults")(function* (results: ReadonlyArray<DeliveryResult>) {
        const column = <A>(valueOf: (result: DeliveryResult) => A) => results.map(valueOf)
        const attempts = results.flatMap(({ attempt, claimed }) => (attempt === null ? [] : [{ ...attempt, claimed }]))
        const attemptColumn = <A>(valueOf: (attempt: (typeof attempts)[number]) => A) => attempts.map(valueOf)
        return yield* readTransitions(sql`
        with result as (
          select * from unnest(
            ${column(({ claimed }) => claimed.storeId)}::uuid[], ${column(({ claimed }) => claimed.eventId)}::uuid[],
            ${column(({ claimed }) => claimed.installationId)}::uuid[], ${column(({ claimed }) => claimed.lease)}::uuid[],
            ${column(({ outcome }) => (outcome === "retry" ? null : outcome))}::text[],
            ${column(({ delay }) => delay)}::float8[]
          ) as r (store_id, event_id, installation_id, lease, outcome, delay)
        ), recorded as (
          update deliveries d
          set
            lease = null, outcome = r.outcome,
            finished_at = case when r.outcome is not null then statement_timestamp() end,
            failures = d.failures + (r.outcome is null or r.outcome = 'dead')::integer,
            next_at = statement_timestamp() + r.delay * interval '1 second'
          from result r
          where d.store_id = r.store_id and d.event_id = r.event_id and d.installation_id = r.installation_id
            and d.lease = r.lease
          returning 1
        ), logged as (
          insert into delivery_attempts (
            store_id, event_id, installation_id, attempt, started_at, duration_ms, status, answer, error
          )
          select store_id, event_id, installation_id, attempt, to_timestamp(at), duration, status, answer, error
          from unnest(
            ${attemptColumn(({ claimed }) => claimed.storeId)}::uuid[],
            ${attemptColumn(({ claimed }) => claimed.eventId)}::uuid[],
            ${attemptColumn(({ claimed }) => claimed.installationId)}::uuid[],
            ${attemptColumn(({ claimed }) => claimed.attempt)}::integer[],
            ${attemptColumn(({ claimed }) => claimed.now)}::float8[],
            ${attemptColumn(({ durationMillis }) => durationMillis)}::integer[],
            ${attemptColumn(({ status }) => status)}::smallint[], ${attemptColumn(({ answer }) => answer)}::bytea[],
            ${attemptColumn(({ error }) => error)}::text[]
          ) as l (store_id, event_id, installation_id, attempt, at, duration, status, answer, error)
          -- Deliveries first, as in a claim: in another order the two statements could deadlock.
          cross join (select count(*) from recorded) as first
          on conflict (store_id, event_id, installation_id, attempt) do update
          set duration_ms = excluded.duration_ms, status = excluded.status, answer = excluded.answer, error = excluded.error
        ), health as (
          select app_id, url, bool_or(ok) as ok, bool_or(gone) as gone
          from unnest(
            ${attemptColumn(({ claimed }) => claimed.appId)}::uuid[],
            ${attemptColumn(({ claimed }) => claimed.url)}::text[],
            ${attemptColumn(isSuccess)}::boolean[], ${attemptColumn(({ status }) => status === 410)}::boolean[]
          ) as h (app_id, url, ok, gone)
          group by app_id, url
        ), changed as (
          select w.app_id, health.ok, health.gone, w.failing_since <= now() - ${failingPeriod} as failed, is_transition
          from webhooks w join health using (app_id, url), lateral (
            select
              health.gone
              or health.ok and w.failing_since is not null
              or not health.ok and (w.failing_since is null or w.failing_since <= now() - ${failingPeriod})
              as is_transition
          ) transition
          where w.paused_at is null and (
            is_transition or w.called_at is null or health.ok and w.test_failed_at is not null
          )
          order by app_id for update of w
        ), updated as (
          update webhooks w
          set
            called_at = coalesce(w.called_at, now()),
            test_failed_at = case when not c.ok then w.test_failed_at end,
            failing_since = case when c.ok then null else coalesce(w.failing_since, now()) end,
            paused_at = case when c.gone or not c.ok and c.failed then now() end,
            pause_reason = case when c.gone then 'gone' when not c.ok and c.failed then 'failing' end
          from changed c
          where w.app_id = c.app_id
          returning
            w.app_id as "appId", w.url, w.failing_since is not null as failing, w.pause_reason as "pauseReason",
            c.is_transition
        )
        select "appId", url, failing, "pauseReason" from updated where is_transition
      `)
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** True for a complete response with a 2xx status. */
export const isSuccess = ({ status }: Pick<Attempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300
