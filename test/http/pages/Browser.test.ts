import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { registerClient } from "../../support/oauth/AgentOauth.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { ChromiumTest, assertAccessible, openWindow } from "../../support/process/Chromium.ts"
import { receiver, type Receiver } from "../../support/webhooks/Receiver.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { authorizePath, makeOauthApp } from "../../support/oauth/Browser.ts"

/** A merchant of two stores, and a local app whose callback redirects to another host. */
const scene = Effect.gen(function* () {
  const stores = [yield* makeStore(), yield* makeStore()]
  const { email } = yield* makeMerchant(stores)
  const app: Receiver = yield* receiver(({ path }) =>
    path.includes("/callback")
      ? { status: 302, headers: { location: `http://localhost:${app.port}${path.replace("callback", "home")}` } }
      : { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html><title>Home</title>" }
  )
  const redirect = `${app.url}/callback`
  const appId = yield* makeOauthApp({ redirectUris: [redirect] })
  const base = yield* baseUrl
  const address = `${base}${authorizePath(appId, { redirect_uri: redirect })}`
  return { app, appId, address, email, redirect, base, ...(yield* openWindow()) }
})

const BrowserTest = Layer.provideMerge(ChromiumTest, ApiTest)

describe.skipIf(isMissing("chromium"))("Authorization pages in a browser", () => {
  layer(BrowserTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("a merchant signs in by keyboard, chooses a store, consents and follows the redirects of the app", () =>
      Effect.gen(function* () {
        const { address, app, base, complaints, email, page } = yield* scene
        yield* Effect.promise(async () => {
          await page.goto(address)
          assert.strictEqual(await page.title(), "Sign in")
          await assertAccessible(page)
          await page.getByLabel("E-mail address").fill("ada")
          await page.getByLabel("Password").fill("not the password")
          await page.keyboard.press("Enter")
          await page.getByText("Enter an e-mail address").waitFor()
          await assertAccessible(page)
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill("not the password")
          await page.keyboard.press("Enter")
          await page.getByRole("alert").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("heading", { name: "Choose a store" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "A store" }).first().click()
          await page.getByRole("heading", { name: "Restocker requests access" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Allow" }).click()
          await page.waitForURL(/^http:\/\/localhost:/)
        })
        const { searchParams } = new URL(page.url())
        assert.match(searchParams.get("code") ?? "", /^pc_[\w-]{70}$/)
        assert.strictEqual(searchParams.get("iss"), base)
        // No referrer is sent: the redirect URI contains all that the app may learn.
        assert.deepStrictEqual(
          app.received.map(({ headers }) => headers["referer"]),
          [undefined, undefined]
        )
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("cancelling returns to the app, and an invalid request shows its error", () =>
      Effect.gen(function* () {
        const { address, appId, base, complaints, email, page } = yield* scene
        yield* Effect.promise(async () => {
          await page.goto(`${address}&scope=everything`)
          await page.getByRole("link", { name: "Back to the app" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "Back to the app" }).click()
          await page.waitForURL(/home.*[?&]error=invalid_scope&/)
          await page.goto(`${base}${authorizePath(appId)}`)
          await page.getByRole("heading", { name: "This link does not work" }).waitFor()
          await assertAccessible(page)

          await page.goto(address)
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("button", { name: "Use another account" }).click()
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("button", { name: "Cancel" }).click()
          await page.waitForURL(/home.*[?&]error=access_denied&/)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a merchant sets the limits of an agent and sees validation errors", () =>
      Effect.gen(function* () {
        const { app, base, complaints, email, page, redirect } = yield* scene
        const { json } = yield* registerClient({ redirect_uris: [redirect], client_name: "Helper" })
        const address = `${base}${authorizePath(String(json["client_id"]), { redirect_uri: redirect })}`
        yield* Effect.promise(async () => {
          await page.goto(address)
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("link", { name: "A store" }).first().click()
          await page.getByRole("heading", { name: "Helper requests access to A store as an agent" }).waitFor()
          await assertAccessible(page)
          await page.getByLabel("Require approval").check()
          await page.getByLabel("Maximum changes per day").fill("a few")
          await page.getByRole("button", { name: "Allow" }).click()
          await page.getByText("Maximum changes per day must be a whole number").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Maximum changes per day").fill("5")
          await page.getByLabel("Access duration").selectOption("One day")
          await page.getByRole("button", { name: "Allow" }).click()
          await page.waitForURL(/^http:\/\/localhost:/)
        })
        assert.lengthOf(app.received, 2)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("pages of other sites cannot frame the authorization pages", () =>
      Effect.gen(function* () {
        const { address, app, complaints, page } = yield* scene
        app.answerWith(() => ({
          status: 200,
          headers: { "content-type": "text/html" },
          body: `<!doctype html><title>Evil</title><iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`
        }))
        yield* Effect.promise(async () => {
          await page.goto(`${app.url}/evil`)
          const [, frame] = page.frames()
          await frame?.waitForLoadState()
          assert.strictEqual(await frame?.getByLabel("Password").count(), 0)
        })
        assert.match(complaints().join(), /frame-ancestors 'none'/)
      })
    )
  })
})
