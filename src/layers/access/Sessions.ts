import { Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { type Email, EmailTaken } from "../../domain/access/Merchants.ts"
import {
  Admitted,
  type Browser,
  IDLE_HOURS,
  MAX_SIGN_UPS,
  NotSignedIn,
  SESSION_DAYS,
  SessionId,
  Sessions,
  SessionSummary,
  SIGN_IN_LIMITS,
  SignedIn,
  SignInRefused,
  TooManySignIns,
  TooManySignUps,
  WrongPassword
} from "../../domain/access/Sessions.ts"
import { MerchantId } from "../../domain/Actor.ts"
import { networkOf } from "../../domain/Network.ts"
import { MERCHANT_CALLS } from "../../domain/RateLimit.ts"
import type { StoreId } from "../../domain/Store.ts"
import { column } from "../sql/Column.ts"
import { Database, AdmissionPool } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { arrayOf, listOf } from "../Lists.ts"
import { purgeOf } from "../Purging.ts"
import { makeHeldWindows } from "../HeldWindows.ts"
import { countedIn, grantedOf } from "../RollingWindow.ts"
import { hashOf, newToken } from "../Secrets.ts"
import { traced } from "../Traced.ts"
import { insertMerchant, KNOWN_ROLES } from "./Merchants.ts"
import { Passwords, PasswordsLive } from "./Passwords.ts"
import { type Limit, makeSignInThrottle, subject } from "./SignInThrottle.ts"

/** Of what a browser calls itself, as much as tells it from others. */
const MAX_USER_AGENT = 255

const IDLE = sql`interval '${constant(IDLE_HOURS)} hours'`

const selectAccount = (email: Email) =>
  sql`select id as "merchantId", email, name, password_hash as hashed from merchants where email = ${email}`

const Account = Schema.Struct({ ...SignedIn.mapFields(Struct.omit(["sessionId"])).fields, hashed: Schema.String })

/** Not for a password that was replaced while it was compared. */
const insertSession = (
  tokenHash: Buffer,
  merchant: MerchantId,
  passwordHash: string,
  address: string,
  userAgent: string | null
) => sql`
  insert into sessions (token_hash, id, merchant_id, address, user_agent, created_at, seen_at, ends_at, last_end)
  select ${tokenHash}, uuid_v7(clock_micros()), m.id, ${address}, ${userAgent}, now(), now(), now() + ${IDLE},
    now() + interval '${constant(SESSION_DAYS)} days'
  from merchants m where m.id = ${merchant} and m.password_hash = ${passwordHash} for share
  returning id
`

const selectOwn = (merchant: MerchantId) =>
  sql`select email, password_hash as hashed from merchants where id = ${merchant}`

const Own = Account.mapFields(Struct.pick(["email", "hashed"]))

/** Not for a password that was replaced while it was compared. */
const replacePassword = (merchant: MerchantId, known: string, replacement: string) =>
  sql`update merchants set password_hash = ${replacement} where id = ${merchant} and password_hash = ${known}`

const deleteOthers = (merchant: MerchantId, session: SessionId) =>
  sql`delete from sessions where merchant_id = ${merchant} and id <> ${session}`

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
const findSessions = (hashes: ReadonlyArray<Buffer>, calls: string, stores: string) => sql`
  with found as materialized (
    select
      asked.place, asked.calls, asked.stores, token_hash, id, merchant_id,
      seen_at < clock_timestamp() - interval '1 minute' as is_stale
    from unnest((select ${hashes}::bytea[]), (select ${calls}::integer[]), (select ${stores}::text[]))
      with ordinality as asked (hash, calls, stores, place)
    join sessions on token_hash = asked.hash and ends_at > clock_timestamp()
  ), stale as materialized (
    select token_hash from found join sessions s using (token_hash) where is_stale for no key update of s skip locked
  ), seen as (
    update sessions s
    set seen_at = clock_timestamp(), ends_at = least(clock_timestamp() + ${IDLE}, last_end)
    from stale where s.token_hash = stale.token_hash
  ), wanted as (
    select merchant_id, sum(calls)::integer as n, ${constant(MERCHANT_CALLS)} as most
    from found where calls > 0 group by merchant_id
  ), ${countedIn("merchant_call_windows", ["merchant_id"])}
  select place::integer, found.id as "sessionId", found.merchant_id as "merchantId", email, name, (
    select coalesce(json_object_agg(m.store_id, m.role), '{}')
    from members m join stores s on s.id = m.store_id and s.deleted_at is null
    where m.store_id = any(found.stores::uuid[]) and m.merchant_id = found.merchant_id and m.role in (${KNOWN_ROLES})
  ) as roles, calls > 0 and granted is null as "isHeld",
    ${grantedOf(["found.merchant_id"])} as admitted, coalesce(seconds, 0) as "retryAfter"
  from found join merchants on merchants.id = merchant_id left join decided on decided.merchant_id = found.merchant_id
`

const Row = Schema.Struct({ place: Schema.Int, isHeld: Schema.Boolean, ...Admitted.fields })

/** Each asked by itself, as a join could go through all sessions. A holder of no store has a row without one. */
const selectEnded = (places: string, merchants: string, sessions: string, stores: string) => sql`
  select distinct held.place::integer as place
  from unnest(${places}::integer[], ${merchants}::uuid[], ${sessions}::uuid[], ${stores}::uuid[])
    as held (place, merchant_id, session_id, store_id)
  left join lateral (
    select true as goes_on from sessions s
    where s.merchant_id = held.merchant_id and s.id = held.session_id and s.ends_at > clock_timestamp() limit 1
  ) session on true
  left join lateral (
    select true as is_there from members m join stores on stores.id = m.store_id and stores.deleted_at is null
    where m.store_id = held.store_id and m.merchant_id = held.merchant_id limit 1
  ) member on true
  where goes_on is null or (held.store_id is not null and is_there is null)
`

const deleteToken = (tokenHash: Buffer) => sql`delete from sessions where token_hash = ${tokenHash}`

const tooManySignIns = (retryAfter: number) => new TooManySignIns({ retryAfter })
const tooManySignUps = (retryAfter: number) => new TooManySignUps({ retryAfter })

export const SessionsLive = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const database = yield* Database
    const { count, first, rows, transaction } = database
    const throttle = makeSignInThrottle(database)
    const { batch, sql: admission } = yield* AdmissionPool
    const passwords = yield* Passwords
    const accountOf = first(Account)
    const ownOf = first(Own)
    const idOf = first(column("id", Schema.toType(SessionId)))
    const merchantOf = first(column("id", Schema.toType(MerchantId)))
    const admittedOf = makeHeldWindows(
      yield* batch(
        (asked: ReadonlyArray<Calling>) =>
          admission`${findSessions(
            asked.map(({ hash }) => hash),
            listOf(asked.map(({ calls }) => calls)),
            arrayOf(asked.map(({ stores }) => listOf(stores)))
          )}`,
        Row
      )
    )
    const summariesOf = rows(SessionSummary)
    const placesOf = rows(column("place", Schema.Int))

    /** A session of an account whose password is the one of that hash, in the transaction that the fiber is in. */
    const begin = Effect.fnUntraced(function* (
      { hashed, ...merchant }: typeof Account.Type,
      { address, replaced, userAgent }: Browser
    ) {
      const token = newToken()
      if (replaced !== undefined) yield* count(deleteToken(hashOf(replaced)))
      const agent = userAgent?.slice(0, MAX_USER_AGENT).toWellFormed() ?? null
      const made = yield* idOf(insertSession(hashOf(token), merchant.merchantId, hashed, address, agent))
      return Option.map(made, (sessionId) => ({ token, signedIn: { sessionId, ...merchant } }))
    })

    const identified = (token: Redacted.Redacted, stores: ReadonlyArray<StoreId>, calls: number) =>
      Effect.flatMap(admittedOf({ hash: hashOf(token), calls, stores }), (found) =>
        Effect.mapError(Effect.fromOption(found), () => new NotSignedIn())
      )

    return Sessions.of({
      signIn: Effect.fn("Sessions.signIn")(function* ({ email, password, ...browser }) {
        const network = networkOf(browser.address)
        const pair = subject("pair", email, network)
        const limits: ReadonlyArray<Limit> = [
          [pair, SIGN_IN_LIMITS.pair],
          [subject("account", email), SIGN_IN_LIMITS.account],
          [subject("address", network), SIGN_IN_LIMITS.address]
        ]
        // An attempt that is refused anyway takes no place in the line.
        yield* throttle.check(limits, tooManySignIns)
        // Counted in its turn, so that of many right passwords at once only few are counted at any time.
        const known = yield* passwords.withPermit(({ isSame }) =>
          Effect.gen(function* () {
            const counted = yield* throttle.count(limits, tooManySignIns)
            const account = Option.getOrUndefined(yield* accountOf(selectAccount(email)))
            const isKnown = yield* isSame(account?.hashed, password)
            return isKnown && account !== undefined ? { account, counted } : undefined
          })
        )
        if (known === undefined) return yield* new SignInRefused()

        const begun = yield* transaction(begin(known.account, browser))
        const session = yield* Effect.mapError(Effect.fromOption(begun), () => new SignInRefused())
        yield* throttle.uncount(known.counted)
        yield* throttle.forget(pair)
        return session
      }),

      signUp: Effect.fn("Sessions.signUp")(function* ({ email, name, password, ...browser }) {
        const limits: ReadonlyArray<Limit> = [[subject("sign-up", networkOf(browser.address)), MAX_SIGN_UPS]]
        yield* throttle.check(limits, tooManySignUps)
        const hashed = yield* passwords.withPermit(({ make }) =>
          Effect.andThen(throttle.count(limits, tooManySignUps), make(password))
        )
        return yield* transaction(
          Effect.gen(function* () {
            const made = yield* merchantOf(insertMerchant(email, name, hashed, true))
            const merchantId = yield* Effect.mapError(Effect.fromOption(made), () => new EmailTaken({ email }))
            return Option.getOrThrow(yield* begin({ merchantId, email, name, hashed }, browser))
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

      changePassword: Effect.fn("Sessions.changePassword")(function* ({ merchantId, sessionId }, { current, next }) {
        const { email, hashed } = Option.getOrThrow(yield* ownOf(selectOwn(merchantId)))
        const pair = subject("pair", email, sessionId)
        const limits: ReadonlyArray<Limit> = [
          [pair, SIGN_IN_LIMITS.pair],
          [subject("account", email), SIGN_IN_LIMITS.account]
        ]
        yield* throttle.check(limits, tooManySignIns)
        const known = yield* passwords.withPermit(({ isSame, make }) =>
          Effect.gen(function* () {
            const counted = yield* throttle.count(limits, tooManySignIns)
            return (yield* isSame(hashed, current)) ? { counted, replacement: yield* make(next) } : undefined
          })
        )
        if (known === undefined) return yield* new WrongPassword()

        const ended = yield* transaction(
          Effect.gen(function* () {
            const replaced = yield* count(replacePassword(merchantId, hashed, known.replacement))
            if (replaced === 0) return yield* new WrongPassword()
            return yield* count(deleteOthers(merchantId, sessionId))
          })
        )
        yield* throttle.uncount(known.counted)
        yield* throttle.forget(pair)
        return ended
      }),

      purge: Effect.zipWith(
        count(purgeOf({ table: "sessions", key: ["token_hash"], end: "ends_at" })),
        count(purgeOf({ table: "sign_in_attempts", key: ["subject"], end: "ends_at" })),
        (sessions, attempts) => sessions + attempts
      )
    })
  })
).pipe(Layer.provide(PasswordsLive))
