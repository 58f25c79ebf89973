import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomUUID } from "node:crypto"
import { AccountLinks } from "../../../src/domain/access/AccountLinks.ts"
import type { MerchantId } from "../../../src/domain/access/Ids.ts"
import { Email, type Role } from "../../../src/domain/access/Merchants.ts"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { type Client, InvitationId } from "../../../src/rpc/Client.ts"
import { baseUrl, IsolatedApiTest, makeApp, makeStore } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { clientOf, freshMember, memberOf, newKey, sessionOf } from "../../support/rpc/Rpc.ts"

const NEXT = "another horse battery"
const INVALID = {
  error: "This link has expired, was used or does not exist; ask the person who sent it for a new one"
}

const toEmail = Schema.decodeSync(Email)
const newEmail = () => toEmail(`${randomUUID()}@example.com`)

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      })
      const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? ""
      return { status: response.status, cookie, json: await response.json() }
    })
  )

const tokenOf = ({ link }: { readonly link: string | null }) => link?.split("#")[1] ?? assert.fail("There is no link")

type Owner = { readonly client: Client; readonly storeId: StoreId }

const invite = ({ client, storeId }: Owner, email: Email, role: Role = "staff") =>
  client.members.invite({ storeId, idempotencyKey: newKey(), email, role })

const resetLink = ({ client, storeId }: Owner, merchantId: MerchantId) =>
  client.members.createResetLink({ storeId, idempotencyKey: newKey(), merchantId })

const join = (token: string, password = PASSWORD) => post("invitation/join", { token, name: "Eve", password })

const statesOf = ({ client, storeId }: Owner) =>
  Effect.map(client.members.invitations({ storeId }), (all) => all.map(({ state }) => state))

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Links of accounts", (it) => {
  it.effect("an invitation creates an account, a membership and a session once", () =>
    Effect.gen(function* () {
      const owner = yield* freshMember()
      const { client, storeId } = owner
      const email = newEmail()
      const idempotencyKey = newKey()
      const created = yield* client.members.invite({ storeId, idempotencyKey, email, role: "staff" })
      const repeated = yield* client.members.invite({ storeId, idempotencyKey, email, role: "staff" })
      assert.match(created.link ?? "", /^\/dashboard\/invitation#invitation_[\w-]{70}$/)
      assert.deepStrictEqual(repeated, { ...created, link: null })
      const days = (created.expiresAt.getTime() - created.createdAt.getTime()) / 86_400_000
      assert.approximately(days, 7, 0.01)

      const token = tokenOf(created)
      const offer = yield* post("invitation", { token })
      assert.deepStrictEqual(offer.json, {
        data: { storeName: "A store", email, role: "staff", hasAccount: false }
      })
      assert.strictEqual((yield* join(token, "too short")).status, 400)
      const joined = yield* join(token)
      assert.deepInclude(joined.json.data, { email, name: "Eve", storeId })
      const { stores } = yield* (yield* clientOf(joined.cookie)).account.get({})
      assert.deepStrictEqual(stores, [{ storeId, storeName: "A store", timezone: "UTC", role: "staff" }])
      for (const path of ["invitation", "invitation/accept"]) {
        const again = yield* post(path, { token }, { cookie: joined.cookie })
        assert.deepStrictEqual([again.status, again.json], [404, INVALID])
      }
      assert.deepStrictEqual(yield* statesOf(owner), ["accepted"])
      // The owner can change the role of the account, although its address is unverified.
      yield* client.members.join({ storeId, idempotencyKey: newKey(), email, role: "owner" })
      // Another store must not take the address as proof of the person.
      const other = yield* freshMember()
      const admitted = other.client.members.join({
        storeId: other.storeId,
        idempotencyKey: newKey(),
        email,
        role: "staff"
      })
      assert.strictEqual((yield* Effect.flip(admitted))._tag, "EmailUnproven")
    })
  )

  it.effect("of several concurrent acceptances one succeeds", () =>
    Effect.gen(function* () {
      const owner = yield* freshMember()
      const token = tokenOf(yield* invite(owner, newEmail()))
      const passwords = Array.from({ length: 4 }, (_, n) => `${NEXT} ${n}`)
      const answers = yield* Effect.forEach(passwords, (password) => join(token, password), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select 1 from members where store_id = ${owner.storeId}`, 2)

      const merchant = yield* makeMerchant()
      const cookie = yield* sessionOf(merchant.email)
      const second = tokenOf(yield* invite(owner, merchant.email))
      const accepted = yield* Effect.forEach("abcd", () => post("invitation/accept", { token: second }, { cookie }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(accepted.map(({ status }) => status).toSorted(), [200, 404, 404, 404])
    })
  )

  it.effect("an existing account accepts only when it is signed in with the invited address", () =>
    Effect.gen(function* () {
      const owner = yield* freshMember()
      const { email } = yield* makeMerchant()
      const stranger = yield* makeMerchant()
      const token = tokenOf(yield* invite(owner, email, "owner"))
      assert.isTrue((yield* post("invitation", { token })).json.data.hasAccount)
      assert.strictEqual((yield* join(token)).status, 409)
      assert.strictEqual((yield* post("invitation/accept", { token })).status, 401)
      const wrong = yield* post("invitation/accept", { token }, { cookie: yield* sessionOf(stranger.email) })
      assert.deepStrictEqual(
        [wrong.status, wrong.json],
        [403, { error: "This invitation is for another e-mail address; sign out, then open the link again" }]
      )
      const accepted = yield* post("invitation/accept", { token }, { cookie: yield* sessionOf(email) })
      assert.deepStrictEqual(accepted.json, { data: { storeId: owner.storeId } })
      assert.strictEqual((yield* Effect.flip(invite(owner, email)))._tag, "AlreadyMember")
    })
  )

  it.effect(
    "revoked, replaced, expired and unknown invitations, and those of former owners, get the same response",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const owner = yield* freshMember()
        const { client, storeId } = owner
        const coOwner = yield* memberOf(storeId)
        const email = newEmail()
        const replaced = yield* invite(owner, email)
        const revoked = yield* invite(owner, email)
        const revoke = (id: InvitationId) => client.members.revokeInvitation({ storeId, idempotencyKey: newKey(), id })
        for (const _ of "ab") yield* revoke(revoked.id)
        yield* revoke(InvitationId.make(randomUUID()))
        const expired = yield* invite(owner, newEmail())
        yield* sql`update invitations set expires_at = now() where id = ${expired.id}`
        const ofFormerOwner = yield* invite({ storeId, client: coOwner.client }, newEmail())
        yield* client.members.join({ storeId, idempotencyKey: newKey(), email: coOwner.email, role: "staff" })
        const tokens = [...[replaced, revoked, expired, ofFormerOwner].map(tokenOf), "invitation_unknown"]
        for (const token of tokens) {
          for (const answer of [yield* post("invitation", { token }), yield* join(token)]) {
            assert.deepStrictEqual([answer.status, answer.json], [404, INVALID])
          }
        }
        assert.deepStrictEqual(yield* statesOf(owner), ["expired", "expired", "revoked", "revoked"])
        assert.strictEqual((yield* Effect.flip(coOwner.client.members.invitations({ storeId })))._tag, "OwnersOnly")
      })
  )

  it.effect("a reset link replaces the password once, ends all sessions and makes the address unverified", () =>
    Effect.gen(function* () {
      const owner = yield* freshMember()
      const staff = yield* memberOf(owner.storeId, "staff")
      const older = tokenOf(yield* resetLink(owner, staff.merchantId))
      const created = yield* resetLink(owner, staff.merchantId)
      assert.match(created.link ?? "", /^\/dashboard\/reset-password#reset_[\w-]{70}$/)
      const token = tokenOf(created)
      assert.deepStrictEqual((yield* post("reset", { token })).json, { data: { email: staff.email } })
      assert.strictEqual((yield* post("reset", { token: older })).status, 404)
      const answers = yield* Effect.forEach("abc", () => post("reset/use", { token, password: NEXT }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404])
      assert.strictEqual((yield* Effect.flip(staff.client.account.get({})))._tag, "NotSignedIn")
      assert.strictEqual((yield* post("sign-in", { email: staff.email, password: PASSWORD })).status, 401)
      assert.strictEqual((yield* post("sign-in", { email: staff.email, password: NEXT })).status, 200)
      const other = yield* freshMember()
      const admitted = other.client.members.join({
        storeId: other.storeId,
        idempotencyKey: newKey(),
        email: staff.email,
        role: "staff"
      })
      assert.strictEqual((yield* Effect.flip(admitted))._tag, "EmailUnproven")
    })
  )

  it.effect("an owner cannot reset accounts that open other stores or apps, nor their own", () =>
    Effect.gen(function* () {
      const { sql } = yield* GlobalDatabase
      const owner = yield* freshMember()
      const elsewhere = yield* makeStore()
      yield* makeMerchant([elsewhere])
      const both = yield* makeMerchant([owner.storeId, elsewhere], "staff")
      const developer = yield* makeMerchant([owner.storeId], "staff")
      yield* sql`update apps set developer_id = ${developer.id} where id = ${yield* makeApp()}`
      for (const id of [both.id, developer.id, owner.merchantId]) {
        assert.strictEqual((yield* Effect.flip(resetLink(owner, id)))._tag, "ResetRefused")
      }
      const stranger = yield* makeMerchant()
      assert.strictEqual((yield* Effect.flip(resetLink(owner, stranger.id)))._tag, "MemberNotFound")

      // The rule holds when the link is used: the member joined another store meanwhile.
      const staff = yield* memberOf(owner.storeId, "staff")
      const token = tokenOf(yield* resetLink(owner, staff.merchantId))
      const other = yield* freshMember()
      yield* other.client.members.join({
        storeId: other.storeId,
        idempotencyKey: newKey(),
        email: staff.email,
        role: "staff"
      })
      for (const answer of [yield* post("reset", { token }), yield* post("reset/use", { token, password: NEXT })]) {
        assert.deepStrictEqual([answer.status, answer.json], [404, INVALID])
      }
      yield* staff.client.account.get({})

      // Operators have no such limit, and verify the address.
      const links = yield* AccountLinks
      const { token: operatorToken } = yield* links.createOperatorReset(staff.email)
      const value = Redacted.value(operatorToken)
      assert.strictEqual((yield* post("reset/use", { token: value, password: NEXT })).status, 200)
      const verified = yield* sql`select 1 from merchants where email = ${staff.email} and not is_claimed`
      assert.lengthOf(verified, 1)
    })
  )

  it.effect("tokens are stored as hashes, and neither journal nor lists hold them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* freshMember()
      const staff = yield* memberOf(owner.storeId, "staff")
      const email = newEmail()
      const tokens = [tokenOf(yield* invite(owner, email)), tokenOf(yield* resetLink(owner, staff.merchantId))]
      const rows = yield* sql<{ readonly text: string }>`
        select to_jsonb(j)::text as text from journal j where store_id = ${owner.storeId}
        union all select to_jsonb(i)::text from idempotency_records i where store_id = ${owner.storeId}
        union all select to_jsonb(i)::text from invitations i union all select to_jsonb(r)::text from password_resets r
      `
      const stored = rows.map(({ text }) => text).join("\n")
      const listed = JSON.stringify(yield* owner.client.members.invitations({ storeId: owner.storeId }))
      for (const token of tokens) {
        assert.notInclude(stored + listed, token)
        assert.include(stored, hash("sha256", token, "hex"))
      }
      const { items } = yield* owner.client.activity.list({ storeId: owner.storeId, limit: 2 })
      assert.deepStrictEqual(
        items.map(({ resource, after }) => [resource, after]),
        [
          ["member", { resetLink: "created" }],
          ["invitation", { role: "staff", state: "open" }]
        ]
      )
      assert.notInclude(JSON.stringify(items), email)
    })
  )

  it.effect("links that do not work are limited by address; links that work are not", () =>
    Effect.gen(function* () {
      const { sql } = yield* GlobalDatabase
      yield* sql`delete from sign_in_attempts`
      const owner = yield* freshMember()
      const token = tokenOf(yield* invite(owner, newEmail()))
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* post("invitation", { token })).status, 200)
      const guesses = yield* Effect.forEach(
        Array.from({ length: DEFAULT_LIMITS.signIn.address + 2 }),
        () => post("reset", { token: "reset_guess" }),
        { concurrency: 8 }
      )
      assert.lengthOf(
        guesses.filter(({ status }) => status === 429),
        2
      )
      assert.strictEqual((yield* post("invitation", { token })).status, 429)
      yield* sql`delete from sign_in_attempts`
    })
  )
})
