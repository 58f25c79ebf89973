import { Effect, Layer, Option, type Redacted, Schema } from "effect"
import {
  Admitted,
  IDLE_HOURS,
  NotSignedIn,
  SESSION_DAYS,
  SessionId,
  Sessions,
  SessionSummary,
  SIGN_IN_LIMITS,
  SignedIn,
  SignInRefused,
  TooManySignIns
} from "../../domain/access/Sessions.ts"
import { MERCHANT_CALLS } from "../../domain/RateLimit.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database, Door } from "../database/Postgres.ts"
import { sql, statement } from "../database/Statement.ts"
import { arrayOf, listOf } from "../Lists.ts"
import { purgeOf } from "../Purging.ts"
import { countedIn, grantedOf } from "../RollingWindow.ts"
import { hashOf, newToken } from "../Secrets.ts"
import { traced } from "../Traced.ts"
import { countAttempt, subject } from "./Attempts.ts"
import { makePasswords } from "./Passwords.ts"

/** Of what a browser calls itself, as much as tells it from others. */
const MAX_USER_AGENT = 255

const IDLE = `interval '${IDLE_HOURS} hours'`

const forget = statement("delete from sign_in_attempts where subject = $1")

const selectAccount = statement(
  `select id as "merchantId", email, name, password_hash as hashed from merchants where email = $1`
)

const Account = Schema.Struct({ ...SignedIn.omit("sessionId").fields, hashed: Schema.String })

/** Not for a password that was replaced while it was compared. */
const insertSession = statement(`
  insert into sessions (token_hash, id, merchant_id, address, user_agent, created_at, seen_at, ends_at, last_end)
  select $1, uuid_v7(clock_micros()), m.id, $4, $5, now(), now(), now() + ${IDLE}, now() + interval '${SESSION_DAYS} days'
  from merchants m where m.id = $2 and m.password_hash = $3 for share
  returning id
`)

/** Whose session it is, how often they call, and in which stores. */
interface Calling {
  readonly hash: Buffer
  readonly calls: number
  readonly stores: ReadonlyArray<StoreId>
}

/**
 * The lists stand in subqueries as those of apps do (`RateLimit.ts`). A session is seen to the minute: a write for each
 * request would be as much again as many a request. One that another request sees just then is not waited for.
 */
const findSessions = statement(`
  with found as materialized (
    select
      asked.place, asked.calls, asked.stores, token_hash, id, merchant_id,
      seen_at < clock_timestamp() - interval '1 minute' as is_stale
    from unnest((select $1::bytea[]), (select $2::integer[]), (select $3::text[]))
      with ordinality as asked (hash, calls, stores, place)
    join sessions on token_hash = asked.hash and ends_at > clock_timestamp()
  ), stale as materialized (
    select token_hash from found join sessions s using (token_hash) where is_stale for no key update of s skip locked
  ), seen as (
    update sessions s
    set seen_at = clock_timestamp(), ends_at = least(clock_timestamp() + ${IDLE}, last_end)
    from stale where s.token_hash = stale.token_hash
  ), wanted as (
    select merchant_id as id, sum(calls)::integer as n, ${MERCHANT_CALLS} as most
    from found where calls > 0 group by merchant_id
  ), ${countedIn("merchants", ["id"])}
  select place::integer, found.id as "sessionId", found.merchant_id as "merchantId", email, name, (
    select coalesce(json_object_agg(m.store_id, m.role), '{}')
    from members m join stores s on s.id = m.store_id and s.deleted_at is null
    where m.store_id = any(found.stores::uuid[]) and m.merchant_id = found.merchant_id
  ) as roles, ${grantedOf(["found.merchant_id"])} as admitted, coalesce(seconds, 0) as "retryAfter"
  from found join merchants on merchants.id = merchant_id left join decided on decided.id = merchant_id
`)

const Row = Schema.Struct({ place: Schema.Int, ...Admitted.fields })

/** Each asked by itself, as a join could go through all sessions. A holder of no store has a row without one. */
const selectEnded = statement(`
  select distinct held.place::integer as place
  from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::uuid[]) as held (place, merchant_id, session_id, store_id)
  left join lateral (
    select true as goes_on from sessions s
    where s.merchant_id = held.merchant_id and s.id = held.session_id and s.ends_at > clock_timestamp() limit 1
  ) session on true
  left join lateral (
    select true as is_there from members m join stores on stores.id = m.store_id and stores.deleted_at is null
    where m.store_id = held.store_id and m.merchant_id = held.merchant_id limit 1
  ) member on true
  where goes_on is null or (held.store_id is not null and is_there is null)
`)

const deleteToken = statement("delete from sessions where token_hash = $1")

export const SessionsLive = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const { count, first, rows, transaction } = yield* Database
    const { together } = yield* Door
    const passwords = yield* makePasswords
    const accountOf = first(Account)
    const idOf = first(Schema.Struct({ id: Schema.typeSchema(SessionId) }).pipe(Schema.pluck("id")))
    const admittedOf = together(
      (asked: ReadonlyArray<Calling>) =>
        findSessions(
          asked.map(({ hash }) => hash),
          listOf(asked.map(({ calls }) => calls)),
          arrayOf(asked.map(({ stores }) => listOf(stores)))
        ),
      Row
    )
    const summariesOf = rows(SessionSummary)
    const placesOf = rows(Schema.Struct({ place: Schema.Int }).pipe(Schema.pluck("place")))

    /** All three or none: an attempt that one of them refuses is not counted by the others. */
    const admit = (counted: ReadonlyArray<readonly [subject: Buffer, limit: number]>) =>
      transaction(
        Effect.forEach(
          // In one order, so that no two attempts wait for each other.
          counted.toSorted(([a], [b]) => a.compare(b)),
          ([subject, limit]) =>
            Effect.filterOrFail(
              count(countAttempt(subject, limit)),
              (counted) => counted > 0,
              () => new TooManySignIns()
            ),
          { discard: true }
        )
      )

    const identified = (token: Redacted.Redacted, stores: ReadonlyArray<StoreId>, calls: number) =>
      Effect.flatMap(admittedOf({ hash: hashOf(token), calls, stores }), (found) =>
        Effect.mapError(found, () => new NotSignedIn())
      )

    return Sessions.of({
      signIn: Effect.fn("Sessions.signIn")(function* ({ address, email, password, replaced, userAgent }) {
        const pair = subject("pair", email, address)
        const account = subject("account", email)
        yield* admit([
          [pair, SIGN_IN_LIMITS.pair],
          [account, SIGN_IN_LIMITS.account],
          [subject("address", address), SIGN_IN_LIMITS.address]
        ])
        const found = Option.getOrUndefined(yield* accountOf(selectAccount(email)))
        const isSame = yield* passwords.isSame(found?.hashed, password)
        if (found === undefined || !isSame) return yield* new SignInRefused()

        const token = newToken()
        const { hashed, ...merchant } = found
        return yield* transaction(
          Effect.gen(function* () {
            if (replaced !== undefined) yield* count(deleteToken(hashOf(replaced)))
            yield* count(forget(pair))
            const made = yield* idOf(
              insertSession(
                hashOf(token),
                merchant.merchantId,
                hashed,
                address,
                userAgent?.slice(0, MAX_USER_AGENT).toWellFormed() ?? null
              )
            )
            const sessionId = yield* Effect.mapError(made, () => new SignInRefused())
            return { token, signedIn: { sessionId, ...merchant } }
          })
        )
      }),

      find: (token, stores) => traced("Sessions.find")(identified(token, stores, 0)),

      admit: (token, stores, calls) => traced("Sessions.admit")(identified(token, stores, calls)),

      ended: Effect.fn("Sessions.ended")((holders) => {
        const held = holders.flatMap(({ merchantId, sessionId, stores }, place) =>
          [...stores, null].map((store) => [place, merchantId, sessionId, store] as const)
        )
        const column = (index: 0 | 1 | 2) => listOf(held.map((one) => one[index]))
        return placesOf(selectEnded(column(0), column(1), column(2), arrayOf(held.map(([, , , store]) => store))))
      }),

      signOut: Effect.fn("Sessions.signOut")((token) => Effect.asVoid(count(deleteToken(hashOf(token))))),

      list: Effect.fn("Sessions.list")((merchant) =>
        summariesOf(sql`
          select id as "sessionId", user_agent as "userAgent", address, created_at as "createdAt", seen_at as "seenAt"
          from sessions where merchant_id = ${merchant} and ends_at > clock_timestamp() order by id desc
        `)
      ),

      end: Effect.fn("Sessions.end")((merchant, session) =>
        idOf(sql`delete from sessions where merchant_id = ${merchant} and id = ${session} returning id`)
      ),

      purge: Effect.zipWith(
        count(purgeOf({ table: "sessions", key: ["token_hash"], end: "ends_at" })),
        count(purgeOf({ table: "sign_in_attempts", key: ["subject"], end: "ends_at" })),
        (sessions, attempts) => sessions + attempts
      )
    })
  })
)
