import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { SIGN_IN_MINUTES } from "../../domain/access/Sessions.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefectExcept } from "../sql/Errors.ts"

/** Returns the hash by which the attempts of a subject are counted. */
export const hashSubject = (...parts: ReadonlyArray<string>) => hash("sha256", JSON.stringify(parts), "buffer")

/** Subject and its maximum number of attempts within {@link SIGN_IN_MINUTES}. */
export type AttemptLimit = readonly [subject: Buffer, max: number]

/** Counted attempt, identified by its instant in the row of the subject. */
type CountedAttempt = readonly [subject: Buffer, at: string]

class LimitReached extends Data.TaggedError("LimitReached") {}

/** Counts attempts by subject in the database, so that the limits apply to all processes together. */
export const makeSignInThrottle = (sql: SqlClient.SqlClient) => {
  const window = sql.literal(`interval '${SIGN_IN_MINUTES} minutes'`)

  /**
   * Counts an attempt unless its subject has reached the limit. The clock is read under the lock of the row, so that the
   * attempts of a subject have distinct instants in ascending order.
   */
  const insertAttempt = Effect.fnUntraced(function* ([subject, max]: AttemptLimit) {
    const [row] = yield* sql<{ readonly at: string }>`
      insert into sign_in_attempts as a (subject, attempts, ends_at)
      values (${subject}, array[clock_timestamp()], clock_timestamp() + ${window})
      on conflict (subject) do update set
        attempts = (select array_agg(t) from unnest(a.attempts) t
          where t > clock_timestamp() - ${window}) || clock_timestamp(),
        ends_at = excluded.ends_at
      where (select count(*) from unnest(a.attempts) t where t > clock_timestamp() - ${window}) < ${max}
      returning attempts[cardinality(attempts)]::text as at
    `
    return row === undefined ? yield* new LimitReached() : ([subject, row.at] satisfies CountedAttempt)
  })

  /** Returns the seconds until all subjects are below their limits, or null if they are. */
  const findWait = Effect.fnUntraced(function* (limits: ReadonlyArray<AttemptLimit>) {
    const [row] = yield* sql<{ readonly seconds: number | null }>`
      select ceil(extract(epoch from max(nth.t) + ${window} - clock_timestamp()))::integer as seconds
      from unnest(
        (select ${limits.map(([subject]) => subject)}::bytea[]), (select ${plainArray(limits.map(([, max]) => max))}::integer[])
      ) as limits (subject, max)
      cross join lateral (
        select t from sign_in_attempts a, unnest(a.attempts) t
        where a.subject = limits.subject and t > clock_timestamp() - ${window}
        order by t desc offset limits.max - 1 limit 1
      ) nth
    `
    return row?.seconds ?? null
  })

  return {
    /** Fails if a limit is reached, with the seconds to wait. Counts nothing. */
    check: <E>(limits: ReadonlyArray<AttemptLimit>, tooMany: (retryAfter: number) => E): Effect.Effect<void, E> =>
      Effect.flatMap(findWait(limits), (seconds) =>
        seconds === null ? Effect.void : Effect.fail(tooMany(seconds))
      ).pipe(orDefectExcept<E>()),

    /** Counts an attempt for all subjects, or for none if one of them has reached its limit. */
    count: <E>(
      limits: ReadonlyArray<AttemptLimit>,
      tooMany: (retryAfter: number) => E
    ): Effect.Effect<ReadonlyArray<CountedAttempt>, E> =>
      sql
        .withTransaction(
          // Concurrent attempts lock their subjects in the same order.
          Effect.forEach(
            limits.toSorted(([a], [b]) => a.compare(b)),
            insertAttempt
          )
        )
        .pipe(
          Effect.catchTag("LimitReached", () =>
            // The wait may have ended since.
            Effect.flatMap(findWait(limits), (seconds) => Effect.fail(tooMany(seconds ?? 1)))
          ),
          orDefectExcept<E>()
        ),

    /** Removes attempts that succeeded. */
    uncount: (attempts: ReadonlyArray<CountedAttempt>): Effect.Effect<void> =>
      Effect.forEach(
        attempts,
        ([subject, at]) => sql`
          update sign_in_attempts set attempts = array_remove(attempts, ${at}::timestamptz) where subject = ${subject}
        `,
        { discard: true }
      ).pipe(orDefectExcept<never>()),

    /** Removes all attempts of a subject. */
    forget: (subject: Buffer): Effect.Effect<void> =>
      Effect.asVoid(sql`delete from sign_in_attempts where subject = ${subject}`).pipe(orDefectExcept<never>())
  }
}
