import { Effect } from "effect"
import { hash } from "node:crypto"
import { SIGN_IN_MINUTES } from "../../domain/access/Sessions.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { statement } from "../database/Statement.ts"

/** Whose attempts are counted, as a hash. */
export const subject = (...parts: ReadonlyArray<string>) => hash("sha256", JSON.stringify(parts), "buffer")

const WINDOW = `interval '${SIGN_IN_MINUTES} minutes'`

/** Counts an attempt, if its subject has made fewer than so many in the last minutes. */
export const countAttempt = statement(`
  insert into sign_in_attempts as a (subject, attempts, ends_at)
  values ($1, array[clock_timestamp()], clock_timestamp() + ${WINDOW})
  on conflict (subject) do update set
    attempts = (select array_agg(t) from unnest(a.attempts) t where t > clock_timestamp() - ${WINDOW}) || clock_timestamp(),
    ends_at = excluded.ends_at
  where (select count(*) from unnest(a.attempts) t where t > clock_timestamp() - ${WINDOW}) < $2
`)

/** Whose attempts they are, and how many of them are heard in the last minutes. */
export type Counted = readonly [subject: Buffer, limit: number]

/** Counts an attempt for all of its subjects, or for none: what one of them refuses is not counted by the others. */
export const makeAttempts =
  ({ count, transaction }: DatabaseOf) =>
  <Refused>(counted: ReadonlyArray<Counted>, refused: () => Refused): Effect.Effect<void, Refused> =>
    transaction(
      Effect.forEach(
        // In one order, so that no two attempts wait for each other.
        counted.toSorted(([a], [b]) => a.compare(b)),
        ([subject, limit]) => Effect.filterOrFail(count(countAttempt(subject, limit)), (heard) => heard > 0, refused),
        { discard: true }
      )
    )
