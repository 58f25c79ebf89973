import { Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Email } from "../../domain/access/Merchants.ts"
import {
  Admitted,
  type Browser,
  IDLE_HOURS,
  MAX_SIGN_UPS,
  NotSignedIn,
  SessionId,
  Sessions,
  SessionSummary,
  type SignInBusy,
  SignedIn,
  SignInRefused,
  TooManySignIns,
  TooManySignUps,
  WrongPassword
} from "../../domain/access/Sessions.ts"
import { MerchantId } from "../../domain/access/Ids.ts"
import { networkOf } from "../../domain/Network.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { MERCHANT_CALLS } from "../../domain/RateLimit.ts"
import type { StoreId } from "../../domain/Store.ts"
import { retryLockedWindows } from "../rateLimit/LockedWindows.ts"
import { textArray, plainArray } from "../sql/ArrayLiterals.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { rollingWindowCtes, admittedCalls } from "../rateLimit/RollingWindow.ts"
import { sha256, newToken } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { AdmissionPool } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { insertMerchant, KNOWN_ROLES } from "./Merchants.ts"
import { type Hashing, Passwords } from "./Passwords.ts"
import { type AttemptLimit, hashSubject, SignInThrottle } from "./SignInThrottle.ts"

/** Maximum length of a stored user agent. */
const MAX_USER_AGENT = 255

const Account = Schema.Struct({ ...Struct.omit(SignedIn.fields, ["sessionId"]), passwordHash: Schema.String })
type Account = typeof Account.Type

const readAccount = rowReader(Account)

const readCredentials = requiredRowReader(Schema.Struct(Struct.pick(Account.fields, ["email", "passwordHash"])))

const readEnded = rowsReader(Schema.Struct({ place: Schema.Int }))

const readSession = rowReader(Schema.Struct({ id: Schema.toType(SessionId) }))

/** Session token of a request, the number of its calls, and the stores that they are about. */
interface AdmissionRequest {
  readonly hash: Buffer
  readonly calls: number
  readonly stores: ReadonlyArray<StoreId>
}

const AdmittedRow = Schema.Struct({ place: Schema.Int, isLocked: Schema.Boolean, ...Admitted.fields })

const tooManySignIns = (retryAfter: number) => new TooManySignIns({ retryAfter })
const tooManySignUps = (retryAfter: number) => new TooManySignUps({ retryAfter })

const IDLE = `interval '${IDLE_HOURS} hours'`

const deleteByToken = (sql: SqlClient.SqlClient, token: Redacted.Redacted) =>
  sql`delete from sessions where token_hash = ${sha256(token)}`

/** Creates a session of an account, unless its password was replaced while it was compared. */
const beginSession = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { passwordHash, ...merchant }: Account,
  { address, replaced, userAgent }: Browser,
  sessionDays: number
) {
  const token = newToken()
  if (replaced !== undefined) yield* deleteByToken(sql, replaced)
  const agent = userAgent?.slice(0, MAX_USER_AGENT).toWellFormed() ?? null
  const session = yield* readSession(sql`
    insert into sessions (token_hash, id, merchant_id, address, user_agent, created_at, seen_at, ends_at, last_end)
    select ${sha256(token)}, uuid_v7(clock_micros()), m.id, ${address}, ${agent}, now(), now(),
      now() + ${sql.literal(IDLE)}, now() + interval '${constant(sessionDays)} days'
    from merchants m where m.id = ${merchant.merchantId} and m.password_hash = ${passwordHash} for share
    returning id
  `)
  if (Option.isNone(session)) return yield* new SignInRefused()
  return { token, signedIn: { sessionId: session.value.id, ...merchant } }
})

/** Creates an account whose e-mail address is not verified, and its first session. */
export const createAccount = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account: Omit<Account, "merchantId">,
  browser: Browser,
  sessionDays: number
) {
  const merchantId = yield* insertMerchant(sql, { ...account, isClaimed: true })
  const begin = beginSession(sql, { merchantId, ...account }, browser, sessionDays)
  return yield* Effect.catchTag(begin, "SignInRefused", Effect.die)
})

export const SessionsLive = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { batch, sql: admission } = yield* AdmissionPool
    const throttle = yield* SignInThrottle
    const passwords = yield* Passwords
    const { sessionDays, signIn } = yield* OperatorLimits

    const idle = sql.literal(IDLE)

    const findVerified = Effect.fnUntraced(function* (email: Email, password: Redacted.Redacted, { matches }: Hashing) {
      const account = yield* readAccount(sql`
        select id as "merchantId", email, name, password_hash as "passwordHash" from merchants where email = ${email}
      `)
      const isMatch = yield* matches(Option.getOrUndefined(account)?.passwordHash, password)
      return isMatch && Option.isSome(account) ? account.value : yield* new SignInRefused()
    }, orDefect)

    /** Verifies a password and runs the write, within the limits of sign-ins. An attempt that succeeds does not count. */
    const attempt = Effect.fnUntraced(function* <A, B, E>(
      email: Email,
      origin: string,
      others: ReadonlyArray<AttemptLimit>,
      verify: (hashing: Hashing) => Effect.Effect<A, E>,
      write: (verified: A) => Effect.Effect<B, E>
    ): Effect.fn.Return<B, E | SignInBusy | TooManySignIns> {
      const pair = hashSubject("pair", email, origin)
      const limits: ReadonlyArray<AttemptLimit> = [
        [pair, signIn.pair],
        [hashSubject("account", email), signIn.account],
        ...others
      ]
      // Attempts above a limit do not enter the queue.
      yield* throttle.check(limits, tooManySignIns)
      // The attempt is counted once it has the permit, so that few of many concurrent correct passwords count at a time.
      const [attempts, verified] = yield* passwords.withPermit((hashing) =>
        Effect.all([throttle.count(limits, tooManySignIns), verify(hashing)])
      )
      const result = yield* write(verified)
      yield* throttle.uncount(attempts)
      yield* throttle.forget(pair)
      return result
    })

    /**
     * Finds the sessions of many requests and counts their calls. Lists are scalar subqueries for the planner, as in
     * `RateLimit.ts`. The time of last use is stored to the minute, because a write for each request would double the
     * cost of a request; a session that another request updates is skipped.
     */
    const admitAll = (requests: ReadonlyArray<AdmissionRequest>) => admission`
      with found as materialized (
        select
          request.place, request.calls, request.stores, token_hash, id, merchant_id,
          seen_at < clock_timestamp() - interval '1 minute' as is_stale
        from unnest(
          (select ${requests.map(({ hash }) => hash)}::bytea[]),
          (select ${plainArray(requests.map(({ calls }) => calls))}::integer[]),
          (select ${textArray(requests.map(({ stores }) => plainArray(stores)))}::text[])
        ) with ordinality as request (hash, calls, stores, place)
        join sessions on token_hash = request.hash and ends_at > clock_timestamp()
      ), stale as materialized (
        select token_hash from found join sessions s using (token_hash) where is_stale for no key update of s skip locked
      ), seen as (
        update sessions s
        set seen_at = statement_timestamp(), ends_at = least(statement_timestamp() + ${idle}, last_end)
        from stale where s.token_hash = stale.token_hash
      ), wanted as (
        select merchant_id, sum(calls)::integer as n, ${constant(MERCHANT_CALLS)} as most
        from found where calls > 0 group by merchant_id
      ), ${rollingWindowCtes("merchant_call_windows", ["merchant_id"])}
      select place::integer, found.id as "sessionId", found.merchant_id as "merchantId", email, name, (
        select coalesce(json_object_agg(m.store_id, m.role), '{}')
        from members m join stores s on s.id = m.store_id and s.deleted_at is null
        where m.store_id = any(found.stores::uuid[]) and m.merchant_id = found.merchant_id
          and m.role in (${sql.literal(KNOWN_ROLES)})
      ) as roles, calls > 0 and granted is null as "isLocked",
        ${admittedCalls(["found.merchant_id"])} as admitted, coalesce(seconds, 0) as "retryAfter"
      from found join merchants on merchants.id = merchant_id
      left join decided on decided.merchant_id = found.merchant_id
    `
    const findAdmitted = retryLockedWindows(yield* batch(admitAll, AdmittedRow))

    const identify = (token: Redacted.Redacted, stores: ReadonlyArray<StoreId>, calls: number) =>
      Effect.flatMap(findAdmitted({ hash: sha256(token), calls, stores }), (found) =>
        Effect.mapError(Effect.fromOption(found), () => new NotSignedIn())
      )

    const listSessions = SqlSchema.findAll({
      Request: MerchantId,
      Result: SessionSummary,
      execute: (merchant) => sql`
        select id as "sessionId", user_agent as "userAgent", address, created_at as "createdAt", seen_at as "seenAt"
        from sessions where merchant_id = ${merchant} and ends_at > clock_timestamp() order by id desc
      `
    })

    /** Replaces a password, unless another request replaced it, and ends the other sessions. Returns their number. */
    const replacePassword = Effect.fnUntraced(
      function* ({ merchantId, sessionId }: Pick<SignedIn, "merchantId" | "sessionId">, current: string, next: string) {
        const replaced = yield* rowCount(sql`
        update merchants set password_hash = ${next} where id = ${merchantId} and password_hash = ${current}
      `)
        if (replaced === 0) return yield* new WrongPassword()
        return yield* rowCount(sql`delete from sessions where merchant_id = ${merchantId} and id <> ${sessionId}`)
      },
      sql.withTransaction,
      orDefect
    )

    return Sessions.of({
      signIn: Effect.fn("Sessions.signIn")(({ email, password, ...browser }) => {
        const network = networkOf(browser.address)
        return attempt(
          email,
          network,
          [[hashSubject("address", network), signIn.address]],
          (hashing) => findVerified(email, password, hashing),
          (account) => beginSession(sql, account, browser, sessionDays).pipe(sql.withTransaction, orDefect)
        )
      }),

      signUp: Effect.fn("Sessions.signUp")(function* ({ email, name, password, ...browser }) {
        const limits: ReadonlyArray<AttemptLimit> = [[hashSubject("sign-up", networkOf(browser.address)), MAX_SIGN_UPS]]
        yield* throttle.check(limits, tooManySignUps)
        const passwordHash = yield* passwords.withPermit(({ makeHash }) =>
          Effect.andThen(throttle.count(limits, tooManySignUps), makeHash(password))
        )
        return yield* sql.withTransaction(createAccount(sql, { email, name, passwordHash }, browser, sessionDays))
      }, orDefect),

      find: Effect.fn("Sessions.find")((token, stores) => identify(token, stores, 0)),

      admit: Effect.fn("Sessions.admit")(identify),

      ended: Effect.fn("Sessions.ended")(function* (connections) {
        // A connection without stores has one row, whose store is null.
        const rows = connections.flatMap(({ merchantId, sessionId, stores }, place) =>
          [...stores, null].map((storeId) => ({ place, merchantId, sessionId, storeId }))
        )
        // Lateral subqueries look up each row by its key; a join could scan all sessions.
        const ended = yield* readEnded(sql`
          select distinct connection.place::integer as place
          from unnest(
            ${plainArray(rows.map(({ place }) => place))}::integer[],
            ${plainArray(rows.map(({ merchantId }) => merchantId))}::uuid[],
            ${plainArray(rows.map(({ sessionId }) => sessionId))}::uuid[],
            ${textArray(rows.map(({ storeId }) => storeId))}::uuid[]
          ) as connection (place, merchant_id, session_id, store_id)
          left join lateral (
            select true as goes_on from sessions s
            where s.merchant_id = connection.merchant_id and s.id = connection.session_id
              and s.ends_at > clock_timestamp() limit 1
          ) session on true
          left join lateral (
            select true as is_there from members m join stores on stores.id = m.store_id and stores.deleted_at is null
            where m.store_id = connection.store_id and m.merchant_id = connection.merchant_id limit 1
          ) member on true
          where goes_on is null or (connection.store_id is not null and is_there is null)
        `)
        return ended.map(({ place }) => place)
      }, orDefect),

      signOut: Effect.fn("Sessions.signOut")((token) => Effect.asVoid(deleteByToken(sql, token)), orDefect),

      list: Effect.fn("Sessions.list")(listSessions, orDefect),

      end: Effect.fn("Sessions.end")(function* (merchant, session) {
        const ended = yield* readSession(sql`
          delete from sessions where merchant_id = ${merchant} and id = ${session} returning id
        `)
        return Option.map(ended, ({ id }) => id)
      }, orDefect),

      changePassword: Effect.fn("Sessions.changePassword")(function* (session, { current, next }) {
        const { email, passwordHash } = yield* readCredentials(sql`
          select email, password_hash as "passwordHash" from merchants where id = ${session.merchantId}
        `)
        return yield* attempt(
          email,
          session.sessionId,
          [],
          Effect.fnUntraced(function* ({ makeHash, matches }) {
            return (yield* matches(passwordHash, current)) ? yield* makeHash(next) : yield* new WrongPassword()
          }),
          (replacement) => replacePassword(session, passwordHash, replacement)
        )
      }, orDefect),

      purge: Effect.zipWith(
        rowCount(sql`${purgeExpired({ table: "sessions", isGlobal: true, key: ["token_hash"], end: "ends_at" })}`),
        rowCount(sql`${purgeExpired({ table: "sign_in_attempts", isGlobal: true, key: ["subject"], end: "ends_at" })}`),
        (sessions, attempts) => sessions + attempts
      ).pipe(orDefect, Effect.withSpan("Sessions.purge"))
    })
  })
)
