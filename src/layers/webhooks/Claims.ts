import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant, type Fragment, sql as fragment } from "../sql/Statement.ts"
import { isMoving, retryFenced } from "../storeMove/Moving.ts"
import { HEALTH, REVISION } from "./Health.ts"

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
  share: Schema.Int,
  /** True if other endpoints may have due deliveries that slots are free for. */
  isMore: Schema.Boolean
})

/** Delivery that this worker owns until its lease ends. */
export type ClaimedDelivery = typeof ClaimedDelivery.Type

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

/** Row of a claim without deliveries, which examined only some of the endpoints. */
const NothingClaimed = Schema.Struct({ storeId: Schema.Null })

/** Maximum number of wakeups that one statement moves to their endpoints. */
const MAX_WAKEUPS = 5000

const readClaimed = rowsReader(Schema.Union([ClaimedDelivery, NothingClaimed]))
/**
 * Leases up to about `free` due deliveries, shared evenly among their endpoints. An endpoint gets at most its limit
 * minus the `busy` requests of this process. If there are more endpoints than slots, healthy ones come first: the
 * backlogs of dead ones would be older than anything new.
 *
 * Only the first due endpoints are examined, so a claim costs the same however many there are. It puts off those that
 * it leaves with nothing due, unless a delivery that it does not see has woken them (`wakes`).
 *
 * A connection keeps the plan of this statement, even if it was made while the tables were empty. Therefore each
 * table is read by an index, by subqueries with a limit, and the rows are changed by `on conflict`, which uses the
 * key: for an UPDATE, the planner would expect a tenth of the backlog (docs/performance.md, Webhooks). The lease and
 * its end are computed in the SELECT, after the wait for installations that are being released.
 */
export const makeClaim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { endpointRequests } = yield* OperatorLimits
  const failingRequests = Math.min(MAX_FAILING_REQUESTS, endpointRequests)
  const lease = sql`interval '${constant(LEASE_SECONDS)} seconds'`

  /**
   * Makes endpoints due that were woken. Endpoints that another worker is waking are left to it. A change of a webhook wakes
   * its endpoint too, which clears a failure that does not count any more, so that the endpoint is found as healthy.
   */
  const wake = sql`
    with woken as materialized (
      delete from wakeups where id = any(array(
        select id from wakeups order by id limit ${constant(MAX_WAKEUPS)} for update skip locked
      ))
      returning app_id, next_at
    )
    insert into endpoints as e (app_id, next_at)
    select app_id, min(next_at) from woken group by app_id order by app_id
    on conflict (app_id) do update set
      next_at = least(e.next_at, excluded.next_at), wakes = e.wakes + 1,
      failing_since = case
        when e.revision >= (select ${REVISION} from webhooks w where w.app_id = e.app_id) then e.failing_since
      end
  `

  /** Selects the first due endpoints of an index. */
  const dueEndpoints = (isFailing: boolean, most: Fragment) => sql`
    select app_id, next_at, wakes, revision, failing_since, called_at, test_failed_at, paused_at, pause_reason
    from endpoints where failing_since ${isFailing ? sql`is not null` : sql`is null`} and next_at <= now()
    order by next_at limit ${most}
  `

  const claimDue = (free: number, busy: ReadonlyMap<AppId, number>) => {
    // Enough for all slots, unless endpoints turn out to have nothing due. The worker then claims again.
    const examined = sql`${free + busy.size}::integer`
    return readClaimed(sql`
      with candidate as materialized (
        (${dueEndpoints(false, examined)}) union all (${dueEndpoints(true, examined)})
      ), endpoint as materialized (
        select
          e.app_id, e.wakes, first.next_at, w.app_id is null or h.paused_at is not null as is_closed,
          w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as previous,
          h.failing_since is not null as failing, allowed.n as "limit", allowed.n - coalesce(busy.n, 0) as slots
        from candidate e
        left join lateral (
          select
            app_id, url, secret, previous_secret, previous_secret_until, set_revision, url_revision,
            resumed_revision, paused_at, pause_reason
          from webhooks where app_id = e.app_id limit 1
        ) w on true
        cross join ${HEALTH} h
        left join lateral (
          select next_at from deliveries d where d.app_id = e.app_id and d.finished_at is null
          order by d.next_at limit 1
        ) first on true
        left join unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::integer[]) as busy (app_id, n)
          on busy.app_id = e.app_id
        cross join lateral (
          select case when h.failing_since is null then ${endpointRequests} else ${failingRequests} end::integer as n
        ) allowed
      ), chosen as materialized (
        select *, least(slots, greatest(1, ${free}::integer / count(*) over ()))::integer as share
        from endpoint where next_at <= now() and not is_closed and slots > 0
        order by failing, next_at limit ${free}::integer
      ), due as materialized (
        select d.* from chosen cross join lateral (
          select store_id, event_id, installation_id, app_id, attempts, lease, next_at from deliveries d
          where d.app_id = chosen.app_id and d.finished_at is null and d.next_at <= now() and not ${isMoving("d")}
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
      ), settled as materialized (
        select app_id, wakes, case when not is_closed then next_at end as next_at from endpoint
        where is_closed or next_at is null or next_at > now()
        union all
        -- The rows that are claimed here keep their place in this snapshot. If others are locked, the next one is
        -- counted too early.
        select chosen.app_id, chosen.wakes, least(
          (
            select next_at from deliveries d where d.app_id = chosen.app_id and d.finished_at is null
            order by d.next_at offset coalesce(taken.n, 0) limit 1
          ),
          case when taken.n > 0 then now() + ${lease} end
        )
        from chosen left join (select app_id, count(*) as n from due group by app_id) taken using (app_id)
      ), put_off as (
        -- Not if the endpoint was woken meanwhile: the delivery is not in this snapshot.
        update endpoints e set next_at = free.next_at
        from (
          select e.app_id, settled.next_at from settled join endpoints e using (app_id, wakes)
          where e.next_at is distinct from settled.next_at
          order by e.app_id for update of e skip locked
        ) free
        where e.app_id = free.app_id
      )
      select examined.is_more as "isMore", delivery.*
      from (
        select (select count(*) from chosen) < ${free}::integer and exists (
          select from candidate group by failing_since is null having count(*) >= ${examined}
        ) as is_more
      ) examined left join (
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
      ) delivery on true
      where examined.is_more or delivery."storeId" is not null
    `)
  }

  return Effect.fn("DeliveryQueue.claim")(
    function* (free: number, busy: ReadonlyMap<AppId, number>) {
      yield* wake
      while (true) {
        const rows = yield* claimDue(free, busy)
        const claimed = rows.filter((row) => row.storeId !== null)
        if (claimed.length > 0 || rows.length === 0) return claimed
      }
    },
    orDefect,
    retryFenced
  )
})
