import { type Effect, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { EventId } from "../../domain/Events.ts"
import { StoreId } from "../../domain/Store.ts"
import { FAILING_HOURS, PauseReason } from "../../domain/webhooks/Webhook.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { type Fragment, sql } from "../sql/Statement.ts"
import type { Attempt } from "./Outgoing.ts"

/**
 * Seconds for which a claimed delivery belongs to its worker: the ten of a request, and time to write down what came of
 * it. When a worker dies, its deliveries are claimed again after that.
 */
const LEASE_SECONDS = 20

/** Requests under way to one endpoint from one process; and to one that fails, so that it cannot fill the others' room. */
const PER_ENDPOINT = 32
const PER_FAILING_ENDPOINT = 2

const LAPSED = "The worker stopped before it could write down what came of this attempt"

const ClaimedDelivery = Schema.Struct({
  storeId: Schema.toType(StoreId),
  eventId: Schema.toType(EventId),
  installationId: Schema.toType(InstallationId),
  appId: Schema.toType(AppId),
  lease: Schema.String,
  attempt: Schema.Int,
  failures: Schema.Int,
  /** Unix seconds by the database's clock. */
  now: Schema.Number,
  url: Schema.String,
  secret: Schema.String,
  /** The secret before, while it still signs. */
  previousSecret: Schema.NullOr(Schema.String),
  payload: Schema.String,
  /** Whether the app is a developer's, whose webhooks go to public addresses alone. */
  isPublicOnly: Schema.Boolean,
  /** Whether the installation still receives. */
  isActive: Schema.Boolean,
  /** How many of this endpoint one process may have under way. */
  limit: Schema.Int,
  /** How many of this endpoint this claim could take. */
  share: Schema.Int
})

/** A delivery that belongs to this worker until its lease ends. */
export type ClaimedDelivery = typeof ClaimedDelivery.Type

/** What came of a delivery's attempt. */
export interface DeliveryResult {
  readonly claimed: Omit<ClaimedDelivery, "payload">
  readonly outcome: "delivered" | "dead" | "canceled" | "retry"
  /** Seconds until it is tried again. */
  readonly delay: number
  /** What the log says of the request; null when none was made. */
  readonly attempt: Omit<Attempt, "headers"> | null
}

const EndpointTransition = Schema.Struct({
  appId: Schema.String,
  url: Schema.String,
  failing: Schema.Boolean,
  pauseReason: Schema.NullOr(PauseReason)
})

/** An endpoint that began to fail, answers again, or was paused. */
export type EndpointTransition = typeof EndpointTransition.Type

/** Unfinished deliveries that are counted: more of them all mean a large backlog. */
const MAX_DEPTH = 100_000

const LEASE = sql.literal(`interval '${LEASE_SECONDS} seconds'`)

/**
 * Says in the log what became of attempts whose lease is over: nobody wrote it down. `from` is a table expression of
 * deliveries, of which nobody else has the rows, before their lease is changed.
 */
export const insertLapsedAttempts = (from: string): Fragment => sql`
  insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at, error)
  select store_id, event_id, installation_id, attempts, next_at - ${LEASE}, ${LAPSED} from ${sql(from)}
  where lease is not null
  on conflict do nothing
`

/** The queue of deliveries as workers see it. Any number of processes may work on it at once. */
export const makeDeliveryQueue = ({ one, rows }: DatabaseOf) => {
  const claimedOf = rows(ClaimedDelivery)
  const depthOf = one(Schema.Struct({ depth: Schema.Int }))
  const turnsOf = rows(EndpointTransition)
  const patience = sql.literal(`interval '${FAILING_HOURS} hours'`)

  return {
    /**
     * Takes at most about `free` deliveries that are due, shared evenly among their endpoints, none of which gets more
     * than its limit less what it is `busy` with here. They belong to this worker until their lease ends. Where there is
     * not room for all, endpoints that do not fail come first: backlogs of dead ones would be older than anything new.
     *
     * No plan for it reads a table whole, also not one that was made while the tables were empty, which a connection
     * keeps until they are next analyzed (docs/performance.md, Webhooks). So no table is scanned that has an index, what
     * belongs to a delivery is asked by a query that ends after a row, and the rows are changed by `on conflict`, which
     * goes by their key and leaves the planner no choice: for an update it takes a tenth of the backlog for what the
     * claim will get.
     */
    claim: (free: number, busy: ReadonlyMap<AppId, number>): Effect.Effect<ReadonlyArray<ClaimedDelivery>> =>
      claimedOf(sql`
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
            endpoint.next_at, w.failing_since is not null as failing, allowed.n as "limit", allowed.n - coalesce(busy.n, 0) as room
          from endpoint
          join webhooks w using (app_id)
          left join unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::integer[]) as busy (app_id, n) using (app_id)
          cross join lateral (
            select case when w.failing_since is null then ${PER_ENDPOINT} else ${PER_FAILING_ENDPOINT} end::integer as n
          ) allowed
          where endpoint.next_at <= now() and w.paused_at is null and allowed.n > coalesce(busy.n, 0)
        ), turn as (
          select *, least(room, greatest(1, ${free}::integer / count(*) over ()))::integer as share
          from open order by failing, next_at limit ${free}::integer
        ), due as materialized (
          select d.* from turn cross join lateral (
            select store_id, event_id, installation_id, app_id, attempts, lease, next_at from deliveries d
            where d.app_id = turn.app_id and d.finished_at is null and d.next_at <= now()
            order by d.next_at limit turn.share for update skip locked
          ) d
        ), held as materialized (
          -- Shared with other claims, so that who ends the hold comes before, or finds what was put aside.
          select due.store_id, due.event_id, due.installation_id, due.app_id from due cross join lateral (
            select from installations i
            where i.store_id = due.store_id and i.id = due.installation_id and i.held_at is not null
            limit 1 for share
          ) i
        ), lapsed as (
          ${insertLapsedAttempts("due")}
        ), aside as (
          insert into deliveries as d (store_id, event_id, installation_id, app_id)
          select store_id, event_id, installation_id, app_id from held
          on conflict (store_id, event_id, installation_id) do update
          set outcome = 'held', finished_at = clock_timestamp(), lease = null
        ), claimed as (
          insert into deliveries as d (store_id, event_id, installation_id, app_id)
          select store_id, event_id, installation_id, app_id from due
          where (store_id, event_id, installation_id) not in (select store_id, event_id, installation_id from held)
          on conflict (store_id, event_id, installation_id) do update
          set lease = gen_random_uuid(), next_at = clock_timestamp() + ${LEASE}, attempts = d.attempts + 1
          returning store_id, event_id, installation_id, app_id, lease, attempts, failures, created_at
        )
        select
          c.store_id as "storeId", c.event_id as "eventId", c.installation_id as "installationId", c.app_id as "appId",
          c.lease, c.attempts as attempt, c.failures, extract(epoch from clock_timestamp())::float8 as now,
          turn.url, turn.secret, turn.previous as "previousSecret", e.payload,
          developed.is_developed as "isPublicOnly",
          coalesce(
            i.is_active and i.deleted_at is null and (i.installed_at is null or i.installed_at < c.created_at), false
          ) as "isActive", turn.limit, turn.share
        from claimed c
        join turn using (app_id)
        cross join lateral (
          select developer_id is not null as is_developed from apps where id = c.app_id limit 1
        ) developed
        cross join lateral (
          select payload from events e where e.store_id = c.store_id and e.id = c.event_id limit 1
        ) e
        left join lateral (
          select i.is_active, i.installed_at, s.deleted_at from installations i join stores s on s.id = i.store_id
          where i.store_id = c.store_id and i.id = c.installation_id limit 1
        ) i on true
      `),

    /** Unfinished deliveries of all apps, {@link MAX_DEPTH} at most. */
    depth: depthOf(sql`
      select count(*)::integer as depth from (
        select from deliveries where finished_at is null limit ${sql.literal(String(MAX_DEPTH))}
      ) as unfinished
    `),

    /**
     * Writes down what came of deliveries that are still this worker's, and of their endpoints: the first failure
     * begins a time of failing, a success ends it, an answer of 410 or too long a time pauses. What a URL did that was
     * replaced meanwhile says nothing of the one in its place. Answers the endpoints of which that is news.
     */
    settle: (settled: ReadonlyArray<DeliveryResult>) => {
      const each = <A>(f: (one: DeliveryResult) => A) => settled.map(f)
      const logged = settled.flatMap(({ attempt, claimed }) => (attempt === null ? [] : [{ ...attempt, claimed }]))
      const of = <A>(f: (one: (typeof logged)[number]) => A) => logged.map(f)
      return turnsOf(sql`
        with result as (
          select * from unnest(
            ${each(({ claimed }) => claimed.storeId)}::uuid[], ${each(({ claimed }) => claimed.eventId)}::uuid[],
            ${each(({ claimed }) => claimed.installationId)}::uuid[], ${each(({ claimed }) => claimed.lease)}::uuid[],
            ${each(({ outcome }) => (outcome === "retry" ? null : outcome))}::text[],
            ${each(({ delay }) => delay)}::float8[]
          ) as r (store_id, event_id, installation_id, lease, outcome, delay)
        ), settled as (
          update deliveries d
          set
            lease = null, outcome = r.outcome, finished_at = case when r.outcome is not null then clock_timestamp() end,
            failures = d.failures + (r.outcome is null or r.outcome = 'dead')::integer,
            next_at = clock_timestamp() + r.delay * interval '1 second'
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
            ${of(({ claimed }) => claimed.storeId)}::uuid[], ${of(({ claimed }) => claimed.eventId)}::uuid[],
            ${of(({ claimed }) => claimed.installationId)}::uuid[], ${of(({ claimed }) => claimed.attempt)}::integer[],
            ${of(({ claimed }) => claimed.now)}::float8[], ${of(({ durationMillis }) => durationMillis)}::integer[],
            ${of(({ status }) => status)}::smallint[], ${of(({ answer }) => answer)}::bytea[],
            ${of(({ error }) => error)}::text[]
          ) as l (store_id, event_id, installation_id, attempt, at, duration, status, answer, error)
          -- After the deliveries, as a claim does it: in another order the two could wait for each other.
          cross join (select count(*) from settled) as first
          on conflict (store_id, event_id, installation_id, attempt) do update
          set duration_ms = excluded.duration_ms, status = excluded.status, answer = excluded.answer, error = excluded.error
        ), health as (
          select app_id, url, bool_or(ok) as ok, bool_or(gone) as gone
          from unnest(
            ${of(({ claimed }) => claimed.appId)}::uuid[], ${of(({ claimed }) => claimed.url)}::text[],
            ${of(isSuccess)}::boolean[], ${of(({ status }) => status === 410)}::boolean[]
          ) as h (app_id, url, ok, gone)
          group by app_id, url
        ), changed as (
          select w.app_id, health.ok, health.gone, w.failing_since <= now() - ${patience} as failed
          from webhooks w join health using (app_id, url)
          where w.paused_at is null and (
            health.gone
            or health.ok and w.failing_since is not null
            or not health.ok and (w.failing_since is null or w.failing_since <= now() - ${patience})
          )
          order by app_id for update of w
        )
        update webhooks w
        set
          failing_since = case when c.ok then null else coalesce(w.failing_since, now()) end,
          paused_at = case when c.gone or not c.ok and c.failed then now() end,
          pause_reason = case when c.gone then 'gone' when not c.ok and c.failed then 'failing' end
        from changed c
        where w.app_id = c.app_id
        returning w.app_id as "appId", w.url, w.failing_since is not null as failing, w.pause_reason as "pauseReason"
      `)
    }
  }
}

/** A 2xx. One that did not come whole has no status. */
export const isSuccess = ({ status }: Pick<Attempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300
