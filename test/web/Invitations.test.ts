import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible, openWindow } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"

const PASSWORD = "correct horse battery"

describe.skipIf(isMissing("chromium"))("Links of members", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("an invited person joins with a new account, and chooses a new password with a link, each once", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page: owner } = yield* dashboardMember()
        const email = `guest-${crypto.randomUUID()}@example.com`
        const { complaints: complaintsOfGuest, page: guest } = yield* openWindow({ width: 390 })
        yield* Effect.promise(async () => {
          await owner.goto(`${dashboard}/settings/members`)
          await owner.getByRole("button", { name: "Invite a member" }).click()
          const dialog = owner.getByRole("dialog")
          await dialog.getByLabel("E-mail address").fill("nobody")
          await dialog.getByRole("button", { name: "Create link" }).click()
          await dialog.getByText("Enter an e-mail address").waitFor()
          await dialog.getByLabel("E-mail address").fill(email)
          await dialog.getByRole("button", { name: "Create link" }).click()
          const invitation = await dialog.getByLabel("Link", { exact: true }).inputValue()
          await assertAccessible(owner)
          await dialog.getByRole("button", { name: "Done" }).click()
          await owner.getByRole("table", { name: "Invitations" }).getByText(email).waitFor()

          await guest.goto(invitation)
          await guest.getByText(`${email} is invited as staff.`).waitFor()
          await assertAccessible(guest)
          await guest.getByLabel("Name").fill("Zoe Guest")
          await guest.getByLabel("Password").fill("short")
          await guest.getByRole("button", { name: "Accept invitation" }).click()
          await guest.getByLabel("Password").and(guest.locator("[aria-invalid]:focus")).waitFor()
          await guest.getByLabel("Password").fill(PASSWORD)
          await guest.getByRole("button", { name: "Accept invitation" }).click()
          await guest.getByRole("heading", { name: "Home" }).waitFor()
          await guest.goto("about:blank")
          await guest.goto(invitation)
          await guest.getByRole("alert").waitFor()

          await owner.reload()
          await owner
            .getByRole("row", { name: /Zoe Guest/ })
            .getByRole("button")
            .click()
          await owner.getByRole("menuitem", { name: "Create reset link" }).click()
          await owner.getByRole("dialog").getByRole("button", { name: "Create reset link" }).click()
          const reset = await owner.getByRole("dialog").getByLabel("Link", { exact: true }).inputValue()
          await guest.goto("about:blank")
          await guest.goto(reset)
          await guest.getByLabel("Password").fill(`${PASSWORD} staple`)
          await assertAccessible(guest)
          await guest.getByRole("button", { name: "Set password" }).click()
          await guest.getByRole("link", { name: "Sign in" }).click()
          await guest.getByLabel("E-mail address").fill(email)
          await guest.getByLabel("Password").fill(`${PASSWORD} staple`)
          await guest.keyboard.press("Enter")
          await guest.getByRole("heading", { name: "Home" }).waitFor()
          await guest.goto("about:blank")
          await guest.goto(reset)
          await guest.getByRole("alert").waitFor()
        })
        assert.deepStrictEqual([...complaints(), ...complaintsOfGuest()], [])
      })
    )
  })
})
