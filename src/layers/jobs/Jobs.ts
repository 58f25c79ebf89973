import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant, type Statement } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { isMoving, retryFenced } from "../storeMove/Moving.ts"

/** Channel on which runners are notified of new jobs. */
export const JOBS = "jobs"

/** Seconds for which a runner owns a job. It renews the lease while it works; a dead runner's job continues after it. */
export const LEASE_SECONDS = 15

/** Kinds of jobs. */
export const JobKind = Schema.Literals(["changeSet.preview", "changeSet.apply", "export.write", "import.copyImages"])
export type JobKind = typeof JobKind.Type

/** Kinds whose turn lasts until their job ends. */
export const LONG_KINDS: ReadonlyArray<JobKind> = ["export.write"]

/** Kinds that change nothing, so they run between the turns of others of their store. */
const READING_KINDS: ReadonlyArray<JobKind> = ["export.write"]

/** Kinds that wait for other hosts. */
export const REMOTE_KINDS: ReadonlyArray<JobKind> = ["import.copyImages"]

const Claimed = Schema.Struct({
  storeId: Schema.toType(StoreId),
  subjectId: Schema.String,
  kind: JobKind,
  lease: Schema.String,
  /** True if its cancellation was requested before this turn. */
  isCanceled: Schema.Boolean,
  failures: Schema.Int
})

/** Job that this process owns until its lease ends. */
export type Job = typeof Claimed.Type

/** Another runner owns the job, or its subject has ended: the transaction must not commit. */
export class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Work of one kind. */
export interface JobWork {
  /** Does the next part in its own transactions, which keep the lease. Returns whether more is left. */
  readonly step: (job: Job) => Effect.Effect<"more" | "finished", LeaseLost>
  /** Ends the job after faults that did not go away. */
  readonly fail: (job: Job) => Effect.Effect<void, LeaseLost>
}

const readClaimed = rowReader(Claimed)
const readKept = rowReader(Schema.Struct({ isCanceled: Schema.Boolean }))
const readQueue = requiredRowReader(Schema.Struct({ depth: Schema.Int, done: Schema.Int, left: Schema.Int }))

/**
 * Durable work on the data of stores, in turns (docs/decisions/0024). Each turn runs in transactions that also extend the
 * lease, so a job whose lease was lost commits nothing. A store has one running job at a time, and finishes one that changes
 * rows before it begins the next.
 */
export class Jobs extends Context.Service<Jobs>()("layers/jobs/Jobs", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = sql`interval '${constant(LEASE_SECONDS)} seconds'`
    const isReading = (alias: string) => sql`${sql(alias)}.kind = any(${READING_KINDS}::text[])`
    /** Place of a job in the order of its store: jobs that have begun, then the others by the time of their first turn. */
    const place = (alias: string) => {
      const job = sql(alias)
      return sql`(${job}.began_at is null, coalesce(${job}.began_at, ${job}.next_at), ${job}.subject_id)`
    }
    const isOwned = ({ lease: owned, storeId, subjectId }: Job) =>
      sql`store_id = ${storeId} and subject_id = ${subjectId} and lease = ${owned}`

    return {
      /** Makes the statement that starts a job. The time of its first turn is `at`, or now. */
      insertStatement: (store: StoreId, subject: string, kind: JobKind, at: Date | null): Statement => sql`
        insert into jobs (store_id, subject_id, kind, next_at)
        values (${store}, ${subject}, ${kind}, coalesce(${at?.toISOString() ?? null}::timestamptz, statement_timestamp()))
      `,

      /** Wakes the runners after the commit of the transaction. */
      notifyAfterCommit: sql.afterCommit(Effect.ignore(sql`select pg_notify(${JOBS}, '')`, { log: "Debug" })),

      /** Deletes a job that no runner owns now. Returns the number of deleted jobs. */
      deleteWaiting: Effect.fn("Jobs.deleteWaiting")(
        (store: StoreId, subject: string) =>
          rowCount(sql`delete from jobs where store_id = ${store} and subject_id = ${subject} and lease is null`),
        orDefect
      ),

      /** Asks a job to stop after its current turn, and makes its next turn due. */
      cancelStatement: (store: StoreId, subject: string): Statement => sql`
        update jobs set is_canceled = true, next_at = case when lease is null then statement_timestamp() else next_at end
        where store_id = ${store} and subject_id = ${subject}
      `,

      /** Deletes a job. Its runner loses the lease and commits nothing more. */
      deleteStatement: (store: StoreId, subject: string): Statement => sql`
        delete from jobs where store_id = ${store} and subject_id = ${subject}
      `,

      /**
       * Takes the job of some kinds that has waited longest, of all stores or of the given one. Its store has no running job,
       * and none that precedes it.
       */
      claim: Effect.fn("Jobs.claim")(
        (kinds: ReadonlyArray<JobKind>, store: StoreId | undefined) =>
          readClaimed(sql`
            with due as (
              select store_id, subject_id from jobs j
              where next_at <= statement_timestamp() and kind = any(${kinds}::text[]) and not ${isMoving("j")}
                and (${store ?? null}::uuid is null or store_id = ${store ?? null}) and not exists (
                select from jobs r where r.store_id = j.store_id and r.subject_id <> j.subject_id and (
                  r.lease is not null or (not ${isReading("r")} and not ${isReading("j")} and ${place("r")} < ${place("j")})
                )
              )
              order by next_at limit 1 for update skip locked
            )
            update jobs j set lease = gen_random_uuid(), next_at = statement_timestamp() + ${lease},
              began_at = coalesce(began_at, statement_timestamp())
            from due where j.store_id = due.store_id and j.subject_id = due.subject_id
            returning j.store_id as "storeId", j.subject_id as "subjectId", j.kind, j.lease, j.is_canceled as "isCanceled", j.failures
          `).pipe(
            // Another runner has just taken a job of the store.
            Effect.catchIf(
              (error) => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation",
              () => Effect.succeed(Option.none<Job>())
            )
          ),
        orDefect,
        retryFenced
      ),

      /**
       * Extends the lease, in the transaction of a turn. Returns whether the job is to be canceled. Fails with `LeaseLost` if
       * another runner owns the job.
       */
      keep: Effect.fn("Jobs.keep")(function* (job: Job) {
        const kept = yield* readKept(sql`
          update jobs set next_at = clock_timestamp() + ${lease}, failures = 0 where ${isOwned(job)}
          returning is_canceled as "isCanceled"
        `)
        return Option.isSome(kept) ? kept.value.isCanceled : yield* new LeaseLost()
      }, orDefect),

      /** Returns whether the job is to be canceled. Fails with `LeaseLost` if another runner owns the job. */
      isCanceled: Effect.fn("Jobs.isCanceled")(function* (job: Job) {
        const owned = yield* readKept(sql`select is_canceled as "isCanceled" from jobs where ${isOwned(job)}`)
        return Option.isSome(owned) ? owned.value.isCanceled : yield* new LeaseLost()
      }, orDefect),

      /** Extends the lease during a long turn. Waits for no transaction, since a turn may hold the row. */
      renew: Effect.fn("Jobs.renew")(function* (job: Job) {
        yield* sql`
          update jobs j set next_at = clock_timestamp() + ${lease} from (
            select store_id, subject_id from jobs where ${isOwned(job)} for update skip locked
          ) as owned where j.store_id = owned.store_id and j.subject_id = owned.subject_id
        `
      }, orDefect),

      /** Returns the job to the queue, behind jobs of other stores that are due. */
      release: Effect.fn("Jobs.release")(function* (job: Job, delaySeconds: number, failures: number) {
        yield* sql`
          update jobs set lease = null, failures = ${failures},
            next_at = clock_timestamp() + ${delaySeconds} * interval '1 second'
          where ${isOwned(job)}
        `
      }, orDefect),

      /** Ends the job, in the transaction of its last turn. Fails with `LeaseLost` if another runner owns it. */
      finish: Effect.fn("Jobs.finish")(function* (job: Job) {
        const ended = yield* sql`delete from jobs where ${isOwned(job)} returning subject_id`
        if (ended.length === 0) yield* new LeaseLost()
      }, orDefect),

      /** Number of unfinished jobs that are due, and progress of unfinished change sets and imports, of 1,000 at most. */
      queue: readQueue(sql`
        select count(*) filter (where next_at <= now())::integer as depth,
          coalesce(sum(done), 0)::float8 as done, coalesce(sum(greatest(total - done, 0)), 0)::float8 as left
        from (select store_id, subject_id, next_at from jobs order by next_at limit 1000) as unfinished
        left join change_sets s on s.store_id = unfinished.store_id and s.id = unfinished.subject_id
      `).pipe(orDefect, Effect.withSpan("Jobs.queue"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
