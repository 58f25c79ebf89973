import { Effect, Option, Schema } from "effect"
import { hash } from "node:crypto"
import { SIGN_IN_MINUTES } from "../../domain/access/Sessions.ts"
import { column } from "../sql/Column.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { constant, sql } from "../sql/Statement.ts"
import { listOf } from "../Lists.ts"

/** The hash of a subject whose attempts are counted. */
export const subject = (...parts: ReadonlyArray<string>) => hash("sha256", JSON.stringify(parts), "buffer")

const WINDOW = sql`interval '${constant(SIGN_IN_MINUTES)} minutes'`

/** Counts an attempt, if its subject has made fewer than so many in the last minutes. */
const countAttempt = (subject: Buffer, most: number) => sql`
  insert into sign_in_attempts as a (subject, attempts, ends_at)
  values (${subject}, array[clock_timestamp()], clock_timestamp() + ${WINDOW})
  on conflict (subject) do update set
    attempts = (select array_agg(t) from unnest(a.attempts) t
      where t > clock_timestamp() - ${WINDOW}) || clock_timestamp(),
    ends_at = excluded.ends_at
  where (select count(*) from unnest(a.attempts) t where t > clock_timestamp() - ${WINDOW}) < ${most}
  returning attempts[cardinality(attempts)]::text as at
`
const At = column("at", Schema.String)

/** Seconds until each of the subjects has made fewer attempts than its limit; null where each of them has. */
const selectWait = (subjects: ReadonlyArray<Buffer>, limits: string) => sql`
  select ceil(extract(epoch from max(nth.t) + ${WINDOW} - clock_timestamp()))::integer as seconds
  from unnest((select ${subjects}::bytea[]), (select ${limits}::integer[])) as asked (subject, most)
  cross join lateral (
    select t from sign_in_attempts a, unnest(a.attempts) t
    where a.subject = asked.subject and t > clock_timestamp() - ${WINDOW}
    order by t desc offset asked.most - 1 limit 1
  ) nth
`
const Wait = column("seconds", Schema.NullOr(Schema.Int))

const uncount = (subject: Buffer, at: string) =>
  sql`update sign_in_attempts set attempts = array_remove(attempts, ${at}::timestamptz) where subject = ${subject}`

const forgetAll = (subject: Buffer) => sql`delete from sign_in_attempts where subject = ${subject}`

/** A subject and its limit of attempts in the last {@link SIGN_IN_MINUTES} minutes. */
export type Limit = readonly [subject: Buffer, most: number]

/** An attempt that was counted, by the instant that its subject's row holds. */
type Counted = readonly [subject: Buffer, at: string]

/** Counts attempts by subject, in the database: the limits hold for all processes together. */
export const makeSignInThrottle = ({ count, first, transaction }: DatabaseOf) => {
  const atOf = first(At)
  const waitOf = first(Wait)

  const secondsOf = (limits: ReadonlyArray<Limit>) =>
    Effect.map(
      waitOf(
        selectWait(
          limits.map(([subject]) => subject),
          listOf(limits.map(([, most]) => most))
        )
      ),
      Option.flatMap(Option.fromNullishOr)
    )

  return {
    /** Refuses where one of the limits is reached, with the seconds to wait. Counts nothing. */
    check: <Refused>(limits: ReadonlyArray<Limit>, refused: (retryAfter: number) => Refused) =>
      Effect.flatMap(
        secondsOf(limits),
        Option.match({ onNone: () => Effect.void, onSome: (seconds) => Effect.fail(refused(seconds)) })
      ),

    /** Counts an attempt for all subjects, or for none: an attempt that one refuses is not counted for the others. */
    count: <Refused>(
      limits: ReadonlyArray<Limit>,
      refused: (retryAfter: number) => Refused
    ): Effect.Effect<ReadonlyArray<Counted>, Refused> =>
      transaction(
        // In one order, so that no two attempts wait for each other.
        Effect.forEach(
          limits.toSorted(([a], [b]) => a.compare(b)),
          ([subject, most]) =>
            Effect.map(
              Effect.flatMap(atOf(countAttempt(subject, most)), Effect.fromOption),
              (at) => [subject, at] as const
            )
        )
      ).pipe(
        Effect.catchTag("NoSuchElementError", () =>
          Effect.flatMap(secondsOf(limits), (seconds) =>
            // It may have ended meanwhile.
            Effect.fail(refused(Option.getOrElse(seconds, () => 1)))
          )
        )
      ),

    /** Takes back attempts that turned out to be none that is to be counted. */
    uncount: (counted: ReadonlyArray<Counted>) =>
      Effect.forEach(counted, ([subject, at]) => count(uncount(subject, at)), { discard: true }),

    /** Takes back all attempts of a subject. */
    forget: (subject: Buffer) => count(forgetAll(subject))
  }
}
