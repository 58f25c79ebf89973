import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { type Grants, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { GRANT_DESCRIPTIONS } from "../../../src/domain/access/GrantDescriptions.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import {
  authorizePath,
  fieldsOf,
  makeOauthApp,
  makeBrowser,
  REDIRECT,
  type BrowserPage,
  visibleText
} from "../../support/oauth/Browser.ts"

/** Grants of the installation of the app on the store, if any. */
const grantedTo = (appId: AppId, storeId: StoreId) =>
  Effect.flatMap(Installations, ({ list }) =>
    Effect.map(list({ appId: Option.some(appId), storeId: Option.some(storeId), limit: 2 }), (installations) =>
      installations.map(({ capabilities, scopes }): Grants => ({ scopes, capabilities }))
    )
  )

/** Target of a redirect without its query, and the parameters of the query. */
const redirectOf = ({ location }: BrowserPage) => {
  const { origin, pathname, searchParams } = new URL(location)
  return { target: `${origin}${pathname}`, parameters: Object.fromEntries(searchParams) }
}

const STATE = "a state & more"

/** A merchant of one store, and the authorization request of an app with the grants `declared`. */
const scene = Effect.fn(function* (declared: Partial<Grants> = {}) {
  const store = yield* makeStore()
  const merchant = yield* makeMerchant([store])
  const appId = yield* makeOauthApp({ ...NO_GRANTS, ...declared })
  return { store, merchant, appId, path: authorizePath(appId), visitor: yield* makeBrowser }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Authorization pages", (it) => {
  it.effect("a merchant signs in, returns to the same request, consents and is redirected with a code", () =>
    Effect.gen(function* () {
      const declared = { scopes: ["read_products", "write_products"], capabilities: ["app_storage"] } as const
      const { appId, merchant, path, store, visitor } = yield* scene(declared)
      const page = yield* visitor.open(path)
      assert.strictEqual(page.status, 200)
      assert.match(visibleText(page), /Sign in to choose what Restocker can do/)
      const credentials = { email: merchant.email, password: "correct horse battery" }
      const signedIn = yield* visitor.press(path, page, "sign-in", credentials)
      assert.deepStrictEqual([signedIn.status, signedIn.location], [303, path])

      const consent = yield* visitor.open(signedIn.location)
      assert.strictEqual(consent.status, 200)
      for (const name of ["read_products", "write_products", "app_storage"] as const) {
        assert.include(visibleText(consent), GRANT_DESCRIPTIONS.en.grants[name].title)
      }
      assert.include(visibleText(consent), "Deletions take effect immediately. You can undo them in Activity.")
      assert.notInclude(visibleText(consent), GRANT_DESCRIPTIONS.en.grants.read_orders.title)
      assert.include(visibleText(consent), "returns you to app.example")
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])

      const consented = yield* visitor.press(path, consent, "allow")
      assert.strictEqual(consented.status, 303)
      const { target, parameters } = redirectOf(consented)
      assert.strictEqual(target, REDIRECT)
      const { code = "", ...rest } = parameters
      assert.match(code, /^pc_[\w-]{70}$/)
      assert.deepStrictEqual(rest, { state: STATE, iss: yield* baseUrl })
      assert.deepStrictEqual(yield* grantedTo(appId, store), [declared])
    })
  )

  it.effect("the journal records a consent once, and a different consent as a change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, merchant, path, store, visitor } = yield* scene({ scopes: ["read_orders", "read_products"] })
      yield* visitor.signIn(path, merchant.email)
      const consentTo = (scope: string) => {
        const scopedPath = authorizePath(appId, { scope })
        return Effect.flatMap(visitor.open(scopedPath), (consent) => visitor.press(scopedPath, consent, "allow"))
      }
      const consented = yield* consentTo("read_products")
      yield* consentTo("read_products")
      const wider = yield* consentTo("read_products read_orders")
      yield* consentTo("read_orders read_products")
      const entries = yield* sql`
        select actor_type, actor_id, surface, idempotency_key, request_id, before, after::jsonb -> 'scopes' as scopes
        from journal where store_id = ${store} and resource = 'installation' order by id
      `
      const actor = { actor_type: "merchant", actor_id: merchant.id, surface: "consent", idempotency_key: null }
      assert.deepStrictEqual(entries, [
        { ...actor, request_id: consented.headers["x-request-id"], before: null, scopes: ["read_products"] },
        {
          ...actor,
          request_id: wider.headers["x-request-id"],
          before: '{"scopes":["read_products"]}',
          scopes: ["read_orders", "read_products"]
        }
      ])
    })
  )

  it.effect("denying redirects with access_denied, state and iss, and installs nothing", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, store, visitor } = yield* scene()
      const consent = yield* visitor.signIn(path, merchant.email)
      const denied = yield* visitor.press(path, consent, "deny")
      assert.strictEqual(denied.status, 303)
      const { target, parameters } = redirectOf(denied)
      assert.strictEqual(target, REDIRECT)
      const { error_description: _, ...rest } = parameters
      assert.deepStrictEqual(rest, { error: "access_denied", state: STATE, iss: yield* baseUrl })
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])
    })
  )

  it.effect("an unknown client or redirect URI returns a 400 page without a redirect, signed in or not", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, visitor } = yield* scene()
      const assertAllRejected = Effect.gen(function* () {
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
      yield* assertAllRejected
      yield* visitor.signIn(path, merchant.email)
      yield* assertAllRejected
    })
  )

  it.effect("an invalid scope redirects a signed-in merchant to the app; others get a link", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, visitor } = yield* scene({ scopes: ["read_products"] })
      const unauthorizedPath = authorizePath(appId, { scope: "read_products read_orders" })
      const page = yield* visitor.open(unauthorizedPath)
      assert.deepStrictEqual([page.status, page.location], [400, ""])
      const [, link = ""] = /href="([^"]*)"/.exec(page.text) ?? []
      yield* visitor.signIn(path, merchant.email)
      const redirected = yield* visitor.open(unauthorizedPath)
      assert.strictEqual(redirected.status, 303)
      assert.strictEqual(redirected.location, link.replaceAll("&amp;", "&"))
      const { error_description: _, ...parameters } = redirectOf(redirected).parameters
      assert.deepStrictEqual(parameters, { error: "invalid_scope", state: STATE, iss: yield* baseUrl })
    })
  )

  it.effect("a changed request of an installed app lists its new, existing and removed grants", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, store, visitor } = yield* scene({
        scopes: ["read_products", "read_orders"],
        capabilities: ["app_storage"]
      })
      yield* visitor.press(path, yield* visitor.signIn(path, merchant.email), "allow")
      const same = yield* visitor.open(path)
      assert.match(visibleText(same), /requests access again to A store .*It can already/)
      assert.notMatch(visibleText(same), /New:|no longer/)

      yield* changeGlobally(
        (sql) => sql`update apps set scopes = '{read_products,write_collections}' where id = ${appId}`
      )
      const other = yield* visitor.open(path)
      assert.match(
        visibleText(other),
        /New: it will also be able to Create, change and delete collections .* It can already See store details .* See products .* It will no longer be able to See orders/
      )
      yield* visitor.press(path, other, "allow")
      assert.deepStrictEqual(yield* grantedTo(appId, store), [
        { scopes: ["read_products", "write_collections"], capabilities: ["app_storage"] }
      ])
    })
  )

  it.effect("consent returns 409 if the app's request changed since the page was shown", () =>
    Effect.gen(function* () {
      const { appId, merchant, path, store, visitor } = yield* scene({ scopes: ["read_products"] })
      const consent = yield* visitor.signIn(path, merchant.email)
      yield* changeGlobally((sql) => sql`update apps set capabilities = '{customer_pii}' where id = ${appId}`)
      const again = yield* visitor.press(path, consent, "allow")
      assert.deepStrictEqual([again.status, again.location], [409, ""])
      assert.match(visibleText(again), /have changed; review.*See personal data of customers/)
      assert.deepStrictEqual(yield* grantedTo(appId, store), [])
      assert.strictEqual((yield* visitor.press(path, again, "allow")).status, 303)
      assert.deepStrictEqual(yield* grantedTo(appId, store), [
        { scopes: ["read_products"], capabilities: ["customer_pii"] }
      ])
    })
  )

  it.effect("staff can consent for the store that they choose", () =>
    Effect.gen(function* () {
      const [owned, other] = [yield* makeStore(), yield* makeStore()]
      yield* makeMerchant([owned])
      yield* makeMerchant([other])
      const { email } = yield* makeMerchant([owned, other], "staff")
      const appId = yield* makeOauthApp(NO_GRANTS)
      const path = authorizePath(appId)
      const visitor = yield* makeBrowser
      const choice = yield* visitor.signIn(path, email)
      assert.match(visibleText(choice), /Choose a store for Restocker/)
      const [, chosen = ""] = new RegExp(`href="([^"]*${other})"`).exec(choice.text) ?? []
      const address = chosen.replaceAll("&amp;", "&")
      assert.strictEqual(address, `${path}&store_id=${other}`)
      const consent = yield* visitor.open(address)
      assert.include(visibleText(consent), "Choose another store")
      yield* visitor.press(address, consent, "allow")
      assert.lengthOf(yield* grantedTo(appId, other), 1)
      assert.lengthOf(yield* grantedTo(appId, owned), 0)
    })
  )

  it.effect("a merchant without a store can only return to the app", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      const path = authorizePath(yield* makeOauthApp())
      const visitor = yield* makeBrowser
      const page = yield* visitor.signIn(path, email)
      assert.match(visibleText(page), /You are not a member of a store/)
      assert.notInclude(page.text, 'value="allow"')
      assert.strictEqual(redirectOf(yield* visitor.press(path, page, "deny")).parameters["error"], "access_denied")
    })
  )

  it.effect("another merchant's store returns 404 in URL and form, like an unknown store", () =>
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
        assert.notInclude(visibleText(page) + visibleText(sent), store)
      }
      assert.deepStrictEqual(yield* grantedTo(appId, foreign), [])
    })
  )

  it.effect("the name of an app is escaped, and only a valid website is a link", () =>
    Effect.gen(function* () {
      const { merchant, visitor } = yield* scene()
      const name = `"><script>alert(1)</script><b onclick='x'>&amp;`
      const path = authorizePath(yield* makeOauthApp({ name }))
      const consent = yield* visitor.signIn(path, merchant.email)
      assert.notMatch(consent.text, /<script|<b /)
      assert.include(visibleText(consent), `${name} requests access to A store`)

      for (const [website, isLink] of [
        ["https://app.example/about", true],
        ["javascript:alert(1)", false],
        ["no address", false]
      ] as const) {
        yield* changeGlobally((sql) => sql`update apps set website = ${website} where name = ${name}`)
        const page = yield* visitor.open(path)
        assert.include(visibleText(page), isLink ? "app.example" : website)
        assert.strictEqual(page.text.includes(`href="${website}"`), isLink)
      }
    })
  )
})
