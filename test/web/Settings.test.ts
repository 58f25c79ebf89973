import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { UpdateSettings } from "../../src/domain/access/Settings.ts"
import type { Store } from "../../src/domain/access/Stores.ts"
import { StoreId } from "../../src/domain/Store.ts"
import { browserName } from "../../src/web/features/settings/localeNames.ts"
import { parsePasswords, parseStoreForm, formValuesOf } from "../../src/web/features/settings/settingsForms.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { clientOf, memberOf, newKey, sessionOf } from "../support/rpc/Rpc.ts"
import { makeMerchant, PASSWORD } from "../support/rpc/Merchants.ts"

const toSettings = Schema.decodeUnknownSync(UpdateSettings)

const STORE: Store = {
  id: StoreId.make(randomUUID()),
  name: "A store",
  domain: null,
  timezone: "UTC",
  locale: "en",
  country: null,
  weightUnit: "kg",
  currencyCode: "EUR",
  plan: { name: "scale", productLimit: 1, collectionLimit: 1, mediaLimit: 1 },
  productCount: 0,
  createdAt: "2026-01-31T09:30:00.000Z"
}

describe("Settings forms", () => {
  it("only normalized values that differ are changes; invalid values have an error", () => {
    const typed = formValuesOf(STORE)
    assert.deepStrictEqual(parseStoreForm(STORE, typed), { changes: {} })
    assert.deepStrictEqual(
      parseStoreForm(STORE, { ...typed, name: " A store ", domain: " Shop.example.com ", locale: "EN" }),
      {
        changes: { domain: "shop.example.com" }
      }
    )
    const open = { ...STORE, domain: "shop.example.com", country: "DE" }
    assert.deepStrictEqual(parseStoreForm(open, { ...formValuesOf(open), domain: "", country: "" }), {
      changes: { domain: null, country: null }
    })
    assert.deepStrictEqual(parseStoreForm(STORE, { ...typed, domain: "shop", locale: "nonsense!" }), {
      problems: {
        domain: "It must be a host name, as in shop.example.com",
        locale: "It must be a language tag of BCP 47, as in de-DE"
      }
    })
  })

  it("a password change requires the current password, a long enough new one and its repetition", () => {
    const typed = { current: "what I have", next: "what I want to have", again: "what I want to have" }
    assert.isTrue(Result.isSuccess(parsePasswords(typed)))
    const problemsOf = (wrong: Partial<typeof typed>) =>
      Result.match(parsePasswords({ ...typed, ...wrong }), { onFailure: Object.keys, onSuccess: () => [] })
    assert.deepStrictEqual(problemsOf({ current: "" }), ["current"])
    assert.deepStrictEqual(problemsOf({ next: "short", again: "short" }), ["next"])
    assert.deepStrictEqual(problemsOf({ again: "what I typed" }), ["again"])
  })

  it("user agents are shown as browser and operating system", () => {
    const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"
    assert.deepStrictEqual([chrome, `${chrome} Edg/126.0`, "curl/8.5", null].map(browserName), [
      "Chrome on Linux",
      "Edge on Linux",
      "curl/8.5",
      "Unknown browser"
    ])
  })
})

describe.skipIf(isMissing("chromium"))("Settings pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("staff can change store details but not members", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember({ role: "staff" })
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/settings`)
          await page.getByLabel("Domain").fill("shop")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("It must be a host name, as in shop.example.com").waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "Apps" }).click()
          await page.getByRole("alertdialog", { name: "Leave this page?" }).getByText("Cancel").click()
          await page.getByLabel("Domain").fill("Shop.Example.com")
          await page.getByLabel("Name").fill("The tea shop")
          await page.getByLabel("Country").selectOption("DE")
          await page.getByLabel("Weight unit").selectOption("g")
        })
        // A concurrent change by another member is kept.
        const settings = toSettings({ timezone: "Europe/Berlin" })
        yield* client.settings.update({ storeId, idempotencyKey: newKey(), settings })
        yield* Effect.promise(async () => {
          await page.keyboard.press("Control+s")
          await page.getByText("Settings saved").waitFor()
          await page.getByRole("banner").getByText("The tea shop").waitFor({ state: "attached" })
          assert.strictEqual(await page.getByLabel("Domain").inputValue(), "shop.example.com")
          assert.strictEqual(await page.getByLabel("Time zone").inputValue(), "Europe/Berlin")
          await assertAccessible(page)

          await page.getByRole("link", { name: "Members" }).click()
          await page.getByText("Owners only").waitFor()
        })
        assert.deepInclude(yield* client.store.get({ storeId }), {
          name: "The tea shop",
          domain: "shop.example.com",
          country: "DE",
          timezone: "Europe/Berlin",
          locale: "en",
          weightUnit: "g"
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("an owner adds and removes members and changes their roles", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, email, page, storeId } = yield* dashboardMember()
        const guest = yield* makeMerchant()
        const rowOf = (address: string) => page.getByRole("row").filter({ hasText: address })
        const change = async (address: string, item: string) => {
          await page.getByRole("button", { name: `Edit ${address}` }).click()
          await page.getByRole("menuitem", { name: item }).click()
        }
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/settings`)
          await page.getByRole("link", { name: "Members" }).click()
          await page.getByLabel("E-mail address").fill("nobody")
          await page.getByRole("button", { name: "Add member" }).click()
          await page.getByText("Enter an e-mail address, such as ada@example.com").waitFor()
          await page.getByLabel("E-mail address").fill("nobody@example.com")
          await page.getByRole("button", { name: "Add member" }).click()
          await page.getByText(/No merchant has the e-mail address nobody@example.com/).waitFor()
          await assertAccessible(page)
          await page.getByLabel("E-mail address").fill(guest.email)
          await page.keyboard.press("Enter")
          await rowOf(guest.email).getByText("Staff").waitFor()
          await assertAccessible(page)

          await change(email, "Make staff")
          await page.getByText(/A store needs at least one owner/).waitFor()
          await change(guest.email, "Make owner")
          await rowOf(guest.email).getByText("Owner").waitFor()
          await change(guest.email, "Remove")
          const confirmation = page.getByRole("alertdialog")
          await confirmation.getByText(/They will lose access to this store/).waitFor()
          await assertAccessible(page)
          await confirmation.getByRole("button", { name: "Remove" }).click()
          await confirmation.waitFor({ state: "detached" })
          await rowOf(guest.email).waitFor({ state: "detached" })
        })
        assert.deepStrictEqual(
          (yield* client.members.list({ storeId })).map((one) => one.email),
          [email]
        )

        // A former owner sees the staff view immediately.
        const other = yield* memberOf(storeId)
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByRole("link", { name: "Members" }).click()
          await rowOf(other.email).waitFor()
          await change(email, "Make staff")
          await page.getByText("Owners only").waitFor()
          await assertAccessible(page)
        })
        yield* other.client.members.join({ storeId, idempotencyKey: newKey(), email, role: "owner" })
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByRole("link", { name: "Members" }).click()
          await change(email, "Remove")
          await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click()
          await page.getByRole("heading", { name: "You are not a member of any store" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a merchant ends sessions, and a password change ends all other sessions", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, email, page } = yield* dashboardMember({ width: 390 })
        const otherSession = yield* clientOf(yield* sessionOf(email))
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/settings`)
          await page.getByRole("link", { name: "Sessions" }).click()
          await page.getByRole("row").filter({ hasText: "This browser" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: /^End session/ }).click()
          await page.getByText("Session ended").waitFor()
          await page.getByRole("button", { name: /^End session/ }).waitFor({ state: "detached" })
        })
        assert.strictEqual((yield* Effect.flip(otherSession.account.get({})))._tag, "NotSignedIn")

        const other = yield* clientOf(yield* sessionOf(email))
        const next = "another horse battery"
        const fill = async (current: string) => {
          await page.getByLabel("Current password").fill(current)
          await page.getByLabel("New password", { exact: true }).fill(next)
          await page.getByLabel("Confirm new password").fill(next)
          await page.keyboard.press("Enter")
        }
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Password" }).click()
          await page.getByRole("button", { name: "Change password" }).click()
          await page.getByText("Enter your current password").waitFor()
          await assertAccessible(page)
          await fill("a guess of mine")
          await page.getByText(/The current password is wrong/).waitFor()
          await fill(PASSWORD)
          await page.getByText("Password changed. 1 other session ended.").waitFor()
          assert.strictEqual(await page.getByLabel("Current password").inputValue(), "")
          await assertAccessible(page)
        })
        assert.strictEqual((yield* Effect.flip(other.account.get({})))._tag, "NotSignedIn")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password", { exact: true }).fill(next)
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" })
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
