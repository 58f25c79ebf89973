import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { FileChooser, Page } from "playwright-core"
import sharp from "sharp"
import { makeProducts } from "../support/data/Products.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"

const picture = (name: string, red: number) =>
  Effect.promise(async () => ({
    name,
    mimeType: "image/png",
    buffer: await sharp({ create: { width: 80, height: 60, channels: 3, background: { r: red, g: 90, b: 40 } } })
      .png()
      .toBuffer()
  }))

const openChooser = async (page: Page, open: () => Promise<void>): Promise<FileChooser> => {
  const chooser = page.waitForEvent("filechooser")
  await open()
  return chooser
}

/** Drops or pastes a picture. */
const transfer = (
  page: Page,
  type: "drop" | "paste",
  { buffer, name }: { readonly buffer: Buffer; readonly name: string }
) =>
  page.getByRole("button", { name: "Upload pictures" }).evaluate(
    (button, sent) => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(sent.bytes)], sent.name, { type: "image/png" }))
      const options = { bubbles: true, cancelable: true }
      button.dispatchEvent(
        sent.type === "drop"
          ? new DragEvent("drop", { dataTransfer: data, ...options })
          : new ClipboardEvent("paste", { clipboardData: data, ...options })
      )
    },
    { type, name, bytes: [...buffer] }
  )

const decodeUrls = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ url: Schema.String })))

describe.skipIf(isMissing("chromium"))("Pictures of products and files", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "uploaded pictures are ordered by keyboard, described, saved with the product, and listed as used files",
      () =>
        Effect.gen(function* () {
          const member = yield* dashboardMember({ width: 390 })
          const { client, complaints, dashboard, page, storeId } = member
          const [desk] = yield* makeProducts(member, [{ name: "Desk" }])
          if (desk === undefined) return assert.fail("No product")
          const [front, side] = [yield* picture("front.png", 10), yield* picture("side.png", 200)]
          const text = { name: "notes.png", mimeType: "image/png", buffer: Buffer.from("no picture") }
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/products/${desk.id}`)
            const upload = page.getByRole("button", { name: "Upload pictures" })
            const chooser = await openChooser(page, () => upload.click())
            await chooser.setFiles([front, text, side])
            await page.getByRole("alert").getByText("unknown type").waitFor()
            await page.getByRole("button", { name: "Move picture 2 of 2" }).waitFor()
            await page.getByText("1 picture not uploaded yet").waitFor()
            assert.isTrue(await page.getByRole("button", { name: "Save", exact: true }).isDisabled())
            await assertAccessible(page)
            await page.getByRole("button", { name: "Remove upload of notes.png" }).click()

            await page.getByRole("button", { name: "Move picture 2 of 2" }).press("ArrowLeft")
            await page.getByText("Picture moved to position 1 of 2").waitFor()
            await page.getByRole("button", { name: "Move picture 1 of 2" }).and(page.locator(":focus")).waitFor()
            await page.getByLabel("Alt text of picture 1").fill("Desk from the side")
            await page
              .getByRole("listitem")
              .filter({ hasText: "Main image" })
              .getByLabel("Alt text of picture 2")
              .waitFor()
            await assertAccessible(page)
            await page.getByRole("button", { name: "Save", exact: true }).click()
            await page.getByLabel("Unsaved changes").waitFor({ state: "detached" })
          })
          const saved = yield* client.products.get({ storeId, id: desk.id })
          const { items } = yield* client.files.list({ storeId })
          const urlOf = (name: string) => items.find((file) => file.name === name)?.url
          assert.deepStrictEqual(
            decodeUrls(saved.media).map(({ url }) => url),
            [urlOf("side.png"), urlOf("front.png")]
          )
          assert.strictEqual(saved.media[0]?.alt, "Desk from the side")
          assert.strictEqual(saved.imageUrl, urlOf("front.png"))

          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/files`)
            await page.getByText("In 1 product").first().waitFor()
            assert.strictEqual(await page.getByText("In 1 product").count(), 2)
            await assertAccessible(page)
            await page.getByRole("button", { name: "Actions of side.png" }).click()
            await page.getByRole("menuitem", { name: "Delete file" }).click()
            await page.getByText("This file is in 1 product.").waitFor()
            await page.getByRole("button", { name: "Cancel" }).click()
            await page.getByLabel("Use").selectOption("Unused files")
            await page.getByText("No files match").waitFor()
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )

    it.effect(
      "a new product takes pasted pictures, stored files and a picture by its address; files are also dropped",
      () =>
        Effect.gen(function* () {
          const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
          const [lamp, shade] = [yield* picture("lamp.png", 70), yield* picture("shade.png", 90)]
          // Of the form of a stored picture, but without sizes.
          const elsewhere = `https://images.example.com/${"0".repeat(64)}/shade.jpg`
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/files`)
            await transfer(page, "drop", lamp)
            await page.getByText("Unused", { exact: true }).waitFor()

            await page.route("https://images.example.com/**", (route) =>
              route.request().url() === elsewhere
                ? route.fulfill({ body: shade.buffer, contentType: "image/png" })
                : route.fulfill({ status: 404 })
            )
            await page.goto(`${dashboard}/products/new`)
            await page.getByLabel("Name", { exact: true }).fill("Lamp")
            await transfer(page, "paste", shade)
            await page.getByRole("button", { name: "Move picture 1 of 1" }).waitFor()
            await page.getByRole("button", { name: "Choose from files" }).click()
            await page.getByRole("checkbox", { name: /lamp\.png/ }).check()
            await assertAccessible(page)
            await page.getByRole("button", { name: "Add 1 file" }).click()
            await page.getByRole("button", { name: "Add by URL" }).click()
            await page.getByLabel("Address of the picture").fill(elsewhere)
            await page.getByRole("button", { name: "Done" }).click()
            await page.getByRole("button", { name: "Move picture 3 of 3" }).waitFor()
            await page.locator(`img[src="${elsewhere}"]`).waitFor()
            await page.getByRole("button", { name: "Create product" }).click()
            await page.getByRole("heading", { name: "Lamp", exact: true }).waitFor()
          })
          const files = (yield* client.files.list({ storeId })).items
          assert.deepStrictEqual(
            files.map(({ name, usage }) => [name, usage]),
            [
              ["shade.png", 1],
              ["lamp.png", 1]
            ]
          )
          const [product] = (yield* client.products.list({ storeId })).items
          assert.strictEqual(product?.imageUrl, files[0]?.url)
          assert.deepStrictEqual(
            decodeUrls(product?.media).map(({ url }) => url),
            [...files.map(({ url }) => url), elsewhere]
          )
          assert.deepStrictEqual(
            complaints().filter((text) => !text.includes("ERR_")),
            []
          )
        })
    )

    it.effect(
      "uploads are canceled and repeated with the same key; a replaced picture changes in variants; the camera takes one",
      () =>
        Effect.gen(function* () {
          const member = yield* dashboardMember()
          const { client, dashboard, page, storeId } = member
          const [mug] = yield* makeProducts(member, [
            { name: "Mug", options: [{ name: "Color", values: ["Red"] }], variants: [{ options: { Color: "Red" } }] }
          ])
          if (mug === undefined) return assert.fail("No product")
          const [front, side] = [yield* picture("front.png", 10), yield* picture("side.png", 200)]
          const keys: Array<string | undefined> = []
          const uploads = "**/rpc/files?*"
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/products/${mug.id}`)
            const upload = page.getByRole("button", { name: "Upload pictures" })
            const camera = page.locator("input[capture]")
            assert.deepStrictEqual(
              await Promise.all(["capture", "accept", "multiple"].map((name) => camera.getAttribute(name))),
              ["environment", "image/*", null]
            )

            await page.route(uploads, () => undefined)
            await (await openChooser(page, () => upload.click())).setFiles(front)
            await page.getByRole("progressbar", { name: "Upload of front.png" }).waitFor()
            await page.getByRole("button", { name: "Cancel upload of front.png" }).click()
            await page.getByRole("progressbar").waitFor({ state: "detached" })
            await page.unroute(uploads)

            await page.route(uploads, (route) => route.abort(), { times: 1 })
            page.on("request", (request) => {
              if (request.url().includes("/rpc/files?")) keys.push(request.headers()["idempotency-key"])
            })
            await (await openChooser(page, () => upload.click())).setFiles(side)
            await page.getByRole("button", { name: "Try again: side.png" }).click()
            await page.getByRole("button", { name: "Move picture 1 of 1" }).waitFor()

            await page.getByRole("button", { name: "Picture of variant 1" }).click()
            await page.getByRole("dialog").getByRole("button", { name: "Picture 1", exact: true }).waitFor()
            await assertAccessible(page)
            await page.getByRole("dialog").getByRole("button", { name: "Picture 1", exact: true }).click()
            await page.getByRole("dialog").waitFor({ state: "detached" })

            await page.getByRole("button", { name: "Actions of picture 1" }).click()
            const replace = page.getByRole("menuitem", { name: "Replace" })
            await (await openChooser(page, () => replace.click())).setFiles(front)
            await page
              .getByRole("list", { name: "Pictures" })
              .locator("img[src*='/320/front.png'][srcset*='/640/front.png 2x']")
              .waitFor()
            await page
              .getByRole("button", { name: "Picture of variant 1" })
              .locator("img[src*='/64/front.png']")
              .waitFor()
            await page.getByRole("button", { name: "Save", exact: true }).click()
            await page.getByLabel("Unsaved changes").waitFor({ state: "detached" })
          })
          assert.lengthOf(keys, 3)
          assert.strictEqual(keys[1], keys[0])
          const { items } = yield* client.files.list({ storeId })
          assert.deepStrictEqual(
            items.map(({ name, usage }) => [name, usage]),
            [
              ["front.png", 1],
              ["side.png", 0]
            ]
          )
          const { imageUrl, media, variants } = yield* client.products.get({ storeId, id: mug.id })
          const urls = [imageUrl, ...decodeUrls(media).map(({ url }) => url), variants[0]?.imageUrl]
          assert.deepStrictEqual(
            urls,
            Array.from({ length: 3 }, () => items[0]?.url)
          )
        })
    )
  })
})
