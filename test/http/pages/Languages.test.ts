import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { ApiTest, makeStore } from "../../support/http/Api.ts"
import { authorizePath, fieldsOf, makeBrowser, makeOauthApp, visibleText } from "../../support/oauth/Browser.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Languages of the authorization pages", (it) => {
  it.effect(
    "pages are in the first language of the browser that has texts, or in the one chosen in the dashboard",
    () =>
      Effect.gen(function* () {
        const merchant = yield* makeMerchant([yield* makeStore()])
        const path = authorizePath(yield* makeOauthApp({ ...NO_GRANTS, scopes: ["read_products", "write_products"] }))
        const visitor = yield* makeBrowser
        const headers = { "accept-language": "en;q=0.5, fr, de-AT;q=0.9" }
        const signIn = yield* visitor.ask("GET", path, { headers })
        assert.include(signIn.text, '<html lang="de">')
        assert.include(visibleText(signIn), "Melden Sie sich an, um zu wählen, was Restocker in Ihrem Shop tun darf.")
        const wrong = { ...fieldsOf(signIn), email: merchant.email, password: "not the password", intent: "sign-in" }
        const refused = yield* visitor.send(path, wrong, headers)
        assert.strictEqual(refused.status, 401)
        assert.include(visibleText(refused), "Die E-Mail-Adresse oder das Passwort ist falsch")

        yield* visitor.signIn(path, merchant.email)
        const consent = yield* visitor.ask("GET", path, { headers })
        for (const text of ["Restocker bittet um Zugriff", "Produkte erstellen, ändern und löschen", "Zulassen"]) {
          assert.include(visibleText(consent), text)
        }
        assert.notInclude(visibleText(consent), "See products")

        visitor.cookies.set("language", "en")
        const english = yield* visitor.ask("GET", path, { headers })
        assert.include(english.text, '<html lang="en">')
        assert.include(visibleText(english), "Restocker requests access")
      })
  )
})
