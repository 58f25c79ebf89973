import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FAILING_HOURS, PauseReason } from "../../domain/webhooks/Webhook.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { type ClaimedDelivery, makeClaim } from "./Claims.ts"
import { HEALTH, REVISION } from "./Health.ts"
import { isElsewhere, retryFenced } from "../storeMove/Moving.ts"
import type { Attempt } from "./Outgoing.ts"

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

const readMeasurement = requiredRowReader(Schema.Struct({ depth: Schema.Int, age: Schema.Number, failing: Schema.Int }))
const readTransitions = rowsReader(EndpointTransition)

/** The queue of deliveries. Any number of worker processes can use it at once. */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()("layers/webhooks/DeliveryQueue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const failingPeriod = sql`interval '${constant(FAILING_HOURS)} hours'`

    return {
      claim: yield* makeClaim,

      /**
       * Number of unfinished deliveries, at most {@link MAX_DEPTH}, seconds since the oldest active one became due, and number
       * of active endpoints with deliveries that have failed for an hour.
       */
      measure: readMeasurement(sql`
        select count(*)::integer as depth,
          greatest(0, extract(epoch from now() - min(next_at) filter (where not is_paused)))::float8 as age,
          (
            select count(*)::integer
            from endpoints e join webhooks w using (app_id) cross join ${HEALTH} h
            where e.failing_since is not null and e.next_at is not null
              and h.failing_since <= now() - interval '1 hour' and h.paused_at is null
          ) as failing
        from (
          select d.next_at, paused.app_id is not null as is_paused
          from deliveries d left join (
            select app_id from webhooks w left join endpoints e using (app_id) cross join ${HEALTH} h
            where h.paused_at is not null
          ) paused using (app_id)
          where d.finished_at is null limit ${constant(MAX_DEPTH)}
        ) as unfinished
      `).pipe(orDefect, Effect.withSpan("DeliveryQueue.measure")),

      /**
       * Records results of deliveries that this worker still owns, and the state of their endpoints. The first failure
       * marks an endpoint as failing and a success clears that. A response of 410, or {@link FAILING_HOURS} hours of
       * failures, pause it. Results of a URL that was replaced meanwhile do not count. Returns the endpoints that changed.
       * A delivery whose store has left this cell meanwhile is sent again by the other one.
       */
      recordResults: Effect.fn("DeliveryQueue.recordResults")(
        function* (results: ReadonlyArray<DeliveryResult>) {
          const column = <A>(valueOf: (result: DeliveryResult) => A) => results.map(valueOf)
          const attempts = results.flatMap(({ attempt, claimed }) =>
            attempt === null ? [] : [{ ...attempt, claimed }]
          )
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
            and d.lease = r.lease and not ${isElsewhere("d.store_id")}
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
          where not ${isElsewhere("l.store_id")}
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
          select
            e.app_id, w.url, ${REVISION} as revision, health.ok, health.gone, is_transition,
            h.called_at, h.test_failed_at, h.failing_since,
            health.gone or not health.ok and h.failing_since <= now() - ${failingPeriod} as is_stopped
          from endpoints e join webhooks w using (app_id) join health using (app_id, url) cross join ${HEALTH} h, lateral (
            select
              health.gone
              or health.ok and h.failing_since is not null
              or not health.ok and (h.failing_since is null or h.failing_since <= now() - ${failingPeriod})
              as is_transition
          ) transition
          where h.paused_at is null and (
            is_transition or h.called_at is null or health.ok and h.test_failed_at is not null
          )
          order by app_id for update of e
        ), updated as (
          update endpoints e
          set
            revision = c.revision,
            called_at = coalesce(c.called_at, now()),
            test_failed_at = case when not c.ok then c.test_failed_at end,
            failing_since = case when c.ok then null else coalesce(c.failing_since, now()) end,
            paused_at = case when c.is_stopped then now() end,
            pause_reason = case when c.gone then 'gone' when c.is_stopped then 'failing' end
          from changed c
          where e.app_id = c.app_id
          returning
            e.app_id as "appId", c.url, e.failing_since is not null as failing, e.pause_reason as "pauseReason",
            c.is_transition
        )
        select "appId", url, failing, "pauseReason" from updated where is_transition
      `)
        },
        orDefect,
        retryFenced
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** True for a complete response with a 2xx status. */
export const isSuccess = ({ status }: Pick<Attempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300
