import { Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  AccountLinks,
  AlreadyMember,
  INVITATION_DAYS,
  Invitation,
  type InvitationId,
  InvitationOffer,
  LinkInvalid,
  MAX_INVITATIONS,
  TooManyInvitations,
  TooManyLinkAttempts,
  WrongAccount
} from "../../domain/access/AccountLinks.ts"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { formatStoreToken } from "./StoreTokens.ts"
import type { Email, Role } from "../../domain/access/Merchants.ts"
import { Actor } from "../../domain/Actor.ts"
import { networkOf } from "../../domain/Network.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { type Write, Writes } from "../../domain/Write.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant, type Statement } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { findMember, indexMember } from "./Merchants.ts"
import { Passwords } from "./Passwords.ts"
import { passwordResets, required } from "./PasswordResets.ts"
import { createAccount } from "./Sessions.ts"
import { type AttemptLimit, hashSubject, SignInThrottle } from "./SignInThrottle.ts"

/** Maximum number of listed invitations. */
const MAX_LISTED = 200

/** Days for which an expired link stays in the lists of owners. */
const RETENTION = "30 days"

const readInvitationRow = requiredRowReader(Invitation)
const readOpen = rowReader(Schema.Struct({ ...Invitation.fields, storeId: Schema.toType(StoreId) }))
const readReplaced = rowsReader(Schema.Struct({ id: Schema.String, role: Invitation.fields.role }))
const { hasAccount: _, ...offerFields } = InvitationOffer.fields
const readAccount = rowReader(Schema.Struct({ id: Schema.String }))
const readOffer = rowReader(Schema.Struct(offerFields))
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
/** Condition of an invitation `i` that can be accepted. */
const OPEN = `
  i.accepted_at is null and i.revoked_at is null and i.expires_at > clock_timestamp() and exists (
    select from members o where o.store_id = i.store_id and o.merchant_id = i.created_by and o.role = 'owner'
  )
`

const STATE = `
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
    when ${OPEN} then 'open' else 'expired' end
`

const INVITATION = `
  i.id, i.email, i.role, ${STATE} as state, i.created_at as "createdAt", i.expires_at as "expiresAt"
`

const tooManyAttempts = (retryAfter: number) => new TooManyLinkAttempts({ retryAfter })

const stateOf = (role: Role, state: Invitation["state"]) => ({ role, state })

const readOpenInvitation = (statement: Statement) => required(readOpen(statement))

export const AccountLinksLive = Layer.effect(
  AccountLinks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const global = yield* GlobalDatabase
    const { record } = yield* AdministeredChanges
    const { lockStore } = yield* StoreAllocation
    const { perform } = yield* Writes
    const passwords = yield* Passwords
    const throttle = yield* SignInThrottle
    const { sessionDays, signIn } = yield* OperatorLimits
    const [open, invitation] = [sql.literal(OPEN), sql.literal(INVITATION)]

    const listInvitations = SqlSchema.findAll({
      Request: StoreId,
      Result: Invitation,
      execute: (store) => sql`
        select ${invitation} from invitations i where i.store_id = ${store}
        order by (${open}) desc, i.id desc limit ${constant(MAX_LISTED)}
      `
    })

    /** Runs the work of a request with a link. Only a link that does not work counts. */
    const attempt = Effect.fnUntraced(function* <A, E>(address: string, work: Effect.Effect<A, E>) {
      const limits: ReadonlyArray<AttemptLimit> = [[hashSubject("link", networkOf(address)), signIn.address]]
      const attempts = yield* throttle.count(limits, tooManyAttempts)
      const result = yield* work
      yield* throttle.uncount(attempts)
      return result
    })

    /** Records in the journal of a store what the holder of a link did. */
    const performAs = <A, E>(storeId: StoreId, id: MerchantId, write: Write<A, E>) =>
      Effect.catchTag(
        perform({ storeId, actor: Actor.Merchant({ id }), surface: "rpc", cause: null, mode: "perform" }, write),
        "EventLoop",
        Effect.die
      )

    /** Returns the id of an account. The copy of a cell may lack one that was created a moment ago. */
    const findAccount = (email: Email) =>
      Effect.map(readAccount(global.sql`select id from merchants where email = ${email}`), Option.map(Struct.get("id")))

    const findOffer = Effect.fnUntraced(function* (token: Redacted.Redacted) {
      const offer = yield* required(
        readOffer(sql`
          select s.name as "storeName", i.email, i.role
          from invitations i join stores s on s.id = i.store_id and s.deleted_at is null
          where i.token_hash = ${sha256(token)} and ${open}
        `)
      )
      return { ...offer, hasAccount: Option.isSome(yield* findAccount(offer.email)) }
    })

    /** Adds the account that `identify` returns to the store. The lock of the store lets one acceptance succeed. */
    const join = Effect.fnUntraced(
      function* <A, E>(
        token: Redacted.Redacted,
        identify: (email: Email) => Effect.Effect<A, E>,
        idOf: (account: A) => MerchantId
      ) {
        const { storeId } = yield* readOpenInvitation(sql`
          select ${invitation}, i.store_id as "storeId" from invitations i
          where i.token_hash = ${sha256(token)} and ${open}
        `)
        yield* Effect.catchTag(lockStore(storeId), "StoreNotFound", () => new LinkInvalid())
        const { email, id, role } = yield* readOpenInvitation(sql`
          update invitations i set accepted_at = clock_timestamp()
          where i.token_hash = ${sha256(token)} and ${open}
          returning ${invitation}, i.store_id as "storeId"
        `)
        const account = yield* identify(email)
        const merchant = idOf(account)
        yield* performAs(
          storeId,
          merchant,
          Effect.gen(function* () {
            const before = yield* findMember(sql, storeId, merchant)
            if (global.isCopied) yield* indexMember(global.sql, { merchant, store: storeId, isInvited: true })
            yield* sql`
              insert into members (store_id, merchant_id, role) values (${storeId}, ${merchant}, ${role})
              on conflict (store_id, merchant_id) do nothing
            `
            yield* record(storeId, "member", merchant, before, yield* findMember(sql, storeId, merchant))
            yield* record(storeId, "invitation", id, stateOf(role, "open"), stateOf(role, "accepted"))
          })
        )
        return { storeId, account }
      },
      sql.withTransaction,
      orDefect
    )

    const resets = yield* passwordResets(attempt, performAs)

    return AccountLinks.of({
      ...resets,

      invite: (store, by, email, role) => {
        const token = formatStoreToken("invitation_", store)
        const write = Effect.gen(function* () {
          yield* lockStore(store)
          const account = yield* findAccount(email)
          const members = yield* sql`
            select 1 from members where store_id = ${store} and merchant_id = ${Option.getOrNull(account)}
          `
          if (members.length > 0) return yield* new AlreadyMember({ email })
          const replaced = yield* readReplaced(sql`
            update invitations i set revoked_at = clock_timestamp()
            where i.store_id = ${store} and i.email = ${email} and ${open} returning i.id, i.role
          `)
          for (const { id, role } of replaced) yield* record(store, "invitation", id, stateOf(role, "open"), null)
          const { count } = yield* readCount(sql`
            select count(*)::integer as count from invitations i where i.store_id = ${store} and ${open}
          `)
          if (count >= MAX_INVITATIONS) return yield* new TooManyInvitations()
          const created = yield* readInvitationRow(sql`
            insert into invitations as i (store_id, id, token_hash, email, role, created_by, expires_at)
            values (
              ${store}, uuid_v7(clock_micros()), ${sha256(token)}, ${email}, ${role}, ${by},
              clock_timestamp() + interval '${constant(INVITATION_DAYS)} days'
            )
            returning ${invitation}
          `)
          yield* record(store, "invitation", created.id, null, stateOf(role, "open"))
          return created
        }).pipe(orDefect, Effect.withSpan("AccountLinks.invite"))
        return { token, write }
      },

      invitations: Effect.fn("AccountLinks.invitations")(listInvitations, orDefect),

      revoke: Effect.fn("AccountLinks.revoke")(function* (store: StoreId, id: InvitationId) {
        yield* lockStore(store)
        const revoked = yield* readReplaced(sql`
          update invitations i set revoked_at = clock_timestamp()
          where i.store_id = ${store} and i.id = ${id} and ${open} returning i.id, i.role
        `)
        for (const { role } of revoked) yield* record(store, "invitation", id, stateOf(role, "open"), null)
      }, orDefect),

      readInvitation: Effect.fn("AccountLinks.readInvitation")(
        ({ address, token }) => attempt(address, findOffer(token)),
        orDefect
      ),

      acceptWithNewAccount: Effect.fn("AccountLinks.acceptWithNewAccount")(
        ({ name, password, token, ...browser }) =>
          attempt(
            browser.address,
            Effect.gen(function* () {
              // Links that do not work cost no hash.
              yield* findOffer(token)
              const passwordHash = yield* passwords.withPermit(({ makeHash }) => makeHash(password))
              const { account, storeId } = yield* join(
                token,
                (email) => createAccount(global.sql, { email, name, passwordHash }, browser, sessionDays),
                ({ signedIn }) => signedIn.merchantId
              )
              return { storeId, session: account }
            })
          ),
        orDefect
      ),

      accept: Effect.fn("AccountLinks.accept")(({ address, by, token }) =>
        attempt(
          address,
          Effect.map(
            join(
              token,
              (email): Effect.Effect<MerchantId, WrongAccount> =>
                email === by.email ? Effect.succeed(by.merchantId) : new WrongAccount(),
              (id) => id
            ),
            ({ storeId }) => ({ storeId })
          )
        )
      ),

      purge: Effect.zipWith(
        rowCount(sql`${purgeExpired({ table: "invitations", key: ["store_id", "id"], retention: RETENTION })}`),
        rowCount(sql`${purgeExpired({ table: "password_resets", isGlobal: true, key: ["merchant_id"] })}`),
        (invitations, resets) => invitations + resets
      ).pipe(orDefect, Effect.withSpan("AccountLinks.purge"))
    })
  })
)
