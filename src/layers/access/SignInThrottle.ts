import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { hash } from "node:crypto"
import { SIGN_IN_MINUTES } from "../../domain/access/Sessions.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"

/** Returns the hash by which the attempts of a subject are counted. */
export const hashSubject = (...parts: ReadonlyArray<string>) => hash("sha256", JSON.stringify(parts), "buffer")

/** Subject and its maximum number of attempts within {@link SIGN_IN_MINUTES}. */
export type AttemptLimit = readonly [subject: Buffer, max: number]

/** Counted attempt, identified by its instant in the row of the subject. */
type CountedAttempt = readonly [subject: Buffer, at: string]

class LimitReached extends Data.TaggedError("LimitReached") {}

const readAttempt = rowReader(Schema.Struct({ at: Schema.String }))

const readWait = requiredRowReader(Schema.Struct({ seconds: Schema.NullOr(Schema.Int) }))

/** Counts attempts by subject in the database, so that the limits apply to all processes together. */
export class SignInThrottle extends Context.Service<SignInThrottle>()("layers/access/SignInThrottle", {
  make: Effect.gen(function* () {
    const { sql } = yield* GlobalDatabase
    const window = sql.literal(`interval '${SIGN_IN_MINUTES} minutes'`)

    /**
     * Counts an attempt unless its subject has reached the limit. The clock is read under the lock of the row, so that the
     * attempts of a subject have distinct instants in ascending order.
     */
    const insertAttempt = Effect.fnUntraced(function* ([subject, max]: AttemptLimit) {
      const attempt = yield* readAttempt(sql`
        insert into sign_in_attempts as a (subject, attempts, ends_at)
        values (${subject}, array[clock_timestamp()], clock_timestamp() + ${window})
        on conflict (subject) do update set
          attempts = (select array_agg(t) from unnest(a.attempts) t
            where t > clock_timestamp() - ${window}) || clock_timestamp(),
          ends_at = excluded.ends_at
        where (select count(*) from unnest(a.attempts) t where t > clock_timestamp() - ${window}) < ${max}
        returning attempts[cardinality(attempts)]::text as at
      `)
      return Option.isSome(attempt) ? ([subject, attempt.value.at] satisfies CountedAttempt) : yield* new LimitReached()
    })

    /** Concurrent attempts lock their subjects in the same order. */
    const insertAttempts = (limits: ReadonlyArray<AttemptLimit>) =>
      Effect.forEach(
        limits.toSorted(([a], [b]) => a.compare(b)),
        insertAttempt
      ).pipe(sql.withTransaction, orDefect)

    /** Returns the seconds until all subjects are below their limits, or null if they are. */
    const findWait = (limits: ReadonlyArray<AttemptLimit>) =>
      readWait(sql`
        select ceil(extract(epoch from max(nth.t) + ${window} - clock_timestamp()))::integer as seconds
        from unnest(
          (select ${limits.map(([subject]) => subject)}::bytea[]), (select ${plainArray(limits.map(([, max]) => max))}::integer[])
        ) as limits (subject, max)
        cross join lateral (
          select t from sign_in_attempts a, unnest(a.attempts) t
          where a.subject = limits.subject and t > clock_timestamp() - ${window}
          order by t desc offset limits.max - 1 limit 1
        ) nth
      `).pipe(orDefect)

    return {
      /** Fails if a limit is reached, with the seconds to wait. Counts nothing. */
      check: Effect.fn("SignInThrottle.check")(function* <E>(
        limits: ReadonlyArray<AttemptLimit>,
        tooMany: (retryAfter: number) => E
      ): Effect.fn.Return<void, E> {
        const { seconds } = yield* findWait(limits)
        if (seconds !== null) yield* Effect.fail(tooMany(seconds))
      }),

      /** Counts an attempt for all subjects, or for none if one of them has reached its limit. */
      count: Effect.fn("SignInThrottle.count")(function* <E>(
        limits: ReadonlyArray<AttemptLimit>,
        tooMany: (retryAfter: number) => E
      ): Effect.fn.Return<ReadonlyArray<CountedAttempt>, E> {
        const counted = yield* Effect.option(insertAttempts(limits))
        if (Option.isSome(counted)) return counted.value
        const { seconds } = yield* findWait(limits)
        // The wait may have ended since.
        return yield* Effect.fail(tooMany(seconds ?? 1))
      }),

      /** Removes attempts that succeeded. */
      uncount: Effect.fn("SignInThrottle.uncount")(function* (attempts: ReadonlyArray<CountedAttempt>) {
        for (const [subject, at] of attempts) {
          yield* sql`
            update sign_in_attempts set attempts = array_remove(attempts, ${at}::timestamptz) where subject = ${subject}
          `
        }
      }, orDefect),

      /** Removes all attempts of a subject. */
      forget: Effect.fn("SignInThrottle.forget")(function* (subject: Buffer) {
        yield* sql`delete from sign_in_attempts where subject = ${subject}`
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
