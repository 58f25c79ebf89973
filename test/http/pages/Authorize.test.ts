import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { type Grants, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Apps.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { GRANT_DESCRIPTIONS } from "../../../src/domain/access/GrantDescriptions.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import {
  authorizePath,
  fieldsOf,
  makeAskingApp,
  makeVisitor,
  REDIRECT,
  type Seen,
  wordsOf
} from "../../support/oauth/Visitor.ts"

/** What the app was granted on the store, if it is there. */
const grantedTo = (appId: AppId, storeId: StoreId) =>
  Effect.flatMap(Installations, ({ list }) =>
    Effect.map(list({ appId: Option.some(appId), storeId: Option.some(storeId), limit: 2 }), (installations) =>
      installations.map(({ capabilities, scopes }): Grants => ({ scopes, capabilities }))
    )
  )

/** Where an answer leads, without what it says there; and what it says. */
const ledTo = ({ location }: Seen) => {
  const { origin, pathname, searchParams } = new URL(location)
  return { place: `${origin}${pathname}`, said: Object.fromEntries(searchParams) }
}

const STATE = "a state & more"

/** A merchant of one store, in whose browser an app asks for `declared`. */
const scene = Effect.fn(function* (declared: Partial<Grants> = {}) {
  const store = yield* makeStore()
  const merchant = yield* makeMerchant([store])
  const appId = yield* makeAskingApp({ ...NO_GRANTS, ...declared })
  return { store, merchant, appId, path: authorizePath(appId), visitor: yield* makeVisitor }
})

layer(ApiTest)("an app asks to be let in", (it) => {
  it.effect("who is not signed in signs in, comes back to the same request, agrees, and leads a code to the app", () =>
    Effect.gen(function* () {
      const declared = { scopes: ["read_products", "write_products"], capabilities: ["app_storage"] } as const
      const { appId, merchant, path, store, visitor } = yield* scene(declared)
      const page = yield* visitor.open(path)
      assert.strictEqual(page.status, 200)
      assert.match(wordsOf(page), /Sign in to choose what Restocker can do/)
      const typed = { email: merchant.email, password: "correct horse battery" }
      const signedIn = yield* visitor.press(path, page, "sign-in", typed)
      assert.deepStrictEqual([signedIn.status, signedIn.location], [303, path])

      const consent = yield* visitor.open(signedIn.location)
      assert.strictEqual(consent.status, 200)
      for (const name of ["read_products", "write_products", "app_storage"] as const) {
        assert.include(wordsOf(consent), GRANT_DESCRIPTIONS[name].title)
      }
      assert.include(wordsOf(consent), "What it deletes is gone at once: nobody is asked to confirm.")
      assert.notInclude(wordsOf(consent), GRANT_DESCRIPTIONS.read_orders.title)
      assert.include(wordsOf(consent), "returns you to app.example")
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])

      const agreed = yield* visitor.press(path, consent, "allow")
      assert.strictEqual(agreed.status, 303)
      const { place, said } = ledTo(agreed)
      assert.strictEqual(place, REDIRECT)
      const { code = "", ...rest } = said
      assert.match(code, /^[\w-]{43}$/)
      assert.deepStrictEqual(rest, { state: STATE, iss: yield* baseUrl })
      assert.deepStrictEqual(yield* grantedTo(appId, store), [declared])
    })
  )

  it.effect("what they agree to stands in the journal, once, and as a change where it is another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, merchant, path, store, visitor } = yield* scene({ scopes: ["read_orders", "read_products"] })
      yield* visitor.signIn(path, merchant.email)
      const agreeTo = (scope: string) => {
        const asked = authorizePath(appId, { scope })
        return Effect.flatMap(visitor.open(asked), (consent) => visitor.press(asked, consent, "allow"))
      }
      const agreed = yield* agreeTo("read_products")
      yield* agreeTo("read_products")
      const wider = yield* agreeTo("read_products read_orders")
      yield* agreeTo("read_orders read_products")
      const entries = yield* sql`
        select actor_type, actor_id, surface, idempotency_key, request_id, before, after::jsonb -> 'scopes' as scopes
        from journal where store_id = ${store} and resource = 'installation' order by id
      `
      const by = { actor_type: "merchant", actor_id: merchant.id, surface: "consent", idempotency_key: null }
      assert.deepStrictEqual(entries, [
        { ...by, request_id: agreed.headers["x-request-id"], before: null, scopes: ["read_products"] },
        {
          ...by,
          request_id: wider.headers["x-request-id"],
          before: '{"scopes":["read_products"]}',
          scopes: ["read_orders", "read_products"]
        }
      ])
    })
  )

  it.effect("who does not agree leads the app that, with state and iss, and nothing is installed", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, store, visitor } = yield* scene()
      const consent = yield* visitor.signIn(path, merchant.email)
      const denied = yield* visitor.press(path, consent, "deny")
      assert.strictEqual(denied.status, 303)
      const { place, said } = ledTo(denied)
      assert.strictEqual(place, REDIRECT)
      const { error_description: _, ...rest } = said
      assert.deepStrictEqual(rest, { error: "access_denied", state: STATE, iss: yield* baseUrl })
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])
    })
  )

  it.effect("where client or redirect URI are not known, nobody is led anywhere, signed in or not", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, visitor } = yield* scene()
      const look = Effect.gen(function* () {
        for (const broken of [
          authorizePath(randomUUID()),
          authorizePath("https://evil.example/client"),
          authorizePath(appId, { client_id: undefined }),
          authorizePath(appId, { redirect_uri: undefined }),
          authorizePath(appId, { redirect_uri: `${REDIRECT}/` }),
          authorizePath(appId, { redirect_uri: `${REDIRECT}?x=1` }),
          authorizePath(appId, { redirect_uri: "https://app.example.evil.example/callback" }),
          authorizePath(appId, { redirect_uri: "//evil.example" }),
          authorizePath(appId, { redirect_uri: "javascript:alert(1)" }),
          `${path}&redirect_uri=${encodeURIComponent("https://evil.example")}`
        ]) {
          const page = yield* visitor.open(broken)
          assert.strictEqual(page.status, 400, broken)
          assert.strictEqual(page.location, "")
          assert.notInclude(page.text, "href=")
          const sent = yield* visitor.send(broken, { intent: "deny", token: fieldsOf(page)["token"] ?? "" })
          assert.deepStrictEqual([sent.status, sent.location], [400, ""], broken)
        }
      })
      yield* look
      yield* visitor.signIn(path, merchant.email)
      yield* look
    })
  )

  it.effect(
    "what is wrong otherwise is told to the app, by a browser in which nobody is signed in only by a link",
    () =>
      Effect.gen(function* () {
        const { appId, merchant, path, visitor } = yield* scene({ scopes: ["read_products"] })
        const beyond = authorizePath(appId, { scope: "read_products read_orders" })
        const page = yield* visitor.open(beyond)
        assert.deepStrictEqual([page.status, page.location], [400, ""])
        const [, link = ""] = /href="([^"]*)"/.exec(page.text) ?? []
        yield* visitor.signIn(path, merchant.email)
        const led = yield* visitor.open(beyond)
        assert.strictEqual(led.status, 303)
        assert.strictEqual(led.location, link.replaceAll("&amp;", "&"))
        const { error_description: _, ...said } = ledTo(led).said
        assert.deepStrictEqual(said, { error: "invalid_scope", state: STATE, iss: yield* baseUrl })
      })
  )

  it.effect("an installed app that asks for other things says what is new, what it has, and what it gives back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, merchant, path, store, visitor } = yield* scene({
        scopes: ["read_products", "read_orders"],
        capabilities: ["app_storage"]
      })
      yield* visitor.press(path, yield* visitor.signIn(path, merchant.email), "allow")
      const same = yield* visitor.open(path)
      assert.match(wordsOf(same), /requests access again to A store .*It can already/)
      assert.notMatch(wordsOf(same), /New:|no longer/)

      yield* sql`update apps set scopes = '{read_products,write_collections}' where id = ${appId}`
      const other = yield* visitor.open(path)
      assert.match(
        wordsOf(other),
        /New: it will also be able to Create, change and delete collections .* It can already See the store itself .* See products .* It will no longer be able to See orders/
      )
      yield* visitor.press(path, other, "allow")
      assert.deepStrictEqual(yield* grantedTo(appId, store), [
        { scopes: ["read_products", "write_collections"], capabilities: ["app_storage"] }
      ])
    })
  )

  it.effect("what an app asks for is not agreed to unseen: it has changed since the page was shown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, merchant, path, store, visitor } = yield* scene({ scopes: ["read_products"] })
      const consent = yield* visitor.signIn(path, merchant.email)
      yield* sql`update apps set capabilities = '{customer_pii}' where id = ${appId}`
      const again = yield* visitor.press(path, consent, "allow")
      assert.deepStrictEqual([again.status, again.location], [409, ""])
      assert.match(wordsOf(again), /have changed; review.*See personal data of customers/)
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])
      assert.strictEqual((yield* visitor.press(path, again, "allow")).status, 303)
      assert.deepStrictEqual(yield* grantedTo(appId, store), [
        { scopes: ["read_products"], capabilities: ["customer_pii"] }
      ])
    })
  )

  it.effect("staff may agree, for the one of their stores that they choose", () =>
    Effect.gen(function* () {
      const [owned, other] = [yield* makeStore(), yield* makeStore()]
      yield* makeMerchant([owned])
      yield* makeMerchant([other])
      const { email } = yield* makeMerchant([owned, other], "staff")
      const appId = yield* makeAskingApp(NO_GRANTS)
      const path = authorizePath(appId)
      const visitor = yield* makeVisitor
      const choice = yield* visitor.signIn(path, email)
      assert.match(wordsOf(choice), /Choose a store for Restocker/)
      const [, chosen = ""] = new RegExp(`href="([^"]*${other})"`).exec(choice.text) ?? []
      const address = chosen.replaceAll("&amp;", "&")
      assert.strictEqual(address, `${path}&store_id=${other}`)
      const consent = yield* visitor.open(address)
      assert.include(wordsOf(consent), "Choose another store")
      yield* visitor.press(address, consent, "allow")
      assert.lengthOf(yield* grantedTo(appId, other), 1)
      assert.lengthOf(yield* grantedTo(appId, owned), 0)
    })
  )

  it.effect("who is a member of no store is told so, and leads back", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      const path = authorizePath(yield* makeAskingApp())
      const visitor = yield* makeVisitor
      const page = yield* visitor.signIn(path, email)
      assert.match(wordsOf(page), /You are not a member of a store/)
      assert.notInclude(page.text, 'value="allow"')
      assert.strictEqual(ledTo(yield* visitor.press(path, page, "deny")).said["error"], "access_denied")
    })
  )

  it.effect("another merchant's store is as if there were none, in the address and in the form", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, visitor } = yield* scene()
      const foreign = yield* makeStore()
      yield* makeMerchant([foreign])
      const consent = yield* visitor.signIn(path, merchant.email)
      for (const store of [foreign, randomUUID(), "no store"]) {
        const page = yield* visitor.open(`${path}&store_id=${store}`)
        assert.strictEqual(page.status, 404)
        const sent = yield* visitor.press(path, consent, "allow", { store_id: store })
        assert.deepStrictEqual([sent.status, sent.location], [404, ""])
        assert.notInclude(wordsOf(page) + wordsOf(sent), store)
      }
      assert.deepStrictEqual(yield* grantedTo(appId, foreign), [])
    })
  )

  it.effect("whatever an app or a store is called stands on the page as text", () =>
    Effect.gen(function* () {
      const { merchant, visitor } = yield* scene()
      const name = `"><script>alert(1)</script><b onclick='x'>&amp;`
      const path = authorizePath(yield* makeAskingApp({ name }))
      const consent = yield* visitor.signIn(path, merchant.email)
      assert.notMatch(consent.text, /<script|<b /)
      assert.include(wordsOf(consent), `${name} requests access to A store`)

      const sql = yield* SqlClient.SqlClient
      for (const [website, isLink] of [
        ["https://app.example/about", true],
        ["javascript:alert(1)", false],
        ["no address", false]
      ] as const) {
        yield* sql`update apps set website = ${website} where name = ${name}`
        const page = yield* visitor.open(path)
        assert.include(wordsOf(page), isLink ? "app.example" : website)
        assert.strictEqual(page.text.includes(`href="${website}"`), isLink)
      }
    })
  )
})
