import { hash } from "node:crypto"
import { SIGN_IN_MINUTES } from "../../domain/access/Sessions.ts"
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
