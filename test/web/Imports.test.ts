import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { detectFormat, refusedCsv } from "../../src/web/features/imports/importFile.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"

const CSV = ["Produktname,Handle,Variant Price", "Cup,cup,12.50", "Plate,plate,cheap"].join("\n")

describe("Files of imports", () => {
  it("the format follows the name of a file, or its first character", () => {
    assert.strictEqual(detectFormat("orders.JSONL", ""), "jsonl")
    assert.strictEqual(detectFormat("products.csv", "{"), "shopify")
    assert.strictEqual(detectFormat("products.txt", " {"), "jsonl")
    assert.strictEqual(detectFormat("products", "Handle,Title"), "shopify")
  })

  it("refused rows are CSV that no spreadsheet calculates", () => {
    const row = { index: 1, outcome: "refused", isApplied: false, resource: "product", id: null } as const
    const nothing = { version: null, entryId: null }
    assert.strictEqual(
      refusedCsv([{ ...row, ...nothing, error: 'Price: not "x"', issues: null, line: 3, externalId: "=1+1" }]),
      'line,externalId,reason\r\n3,"\'=1+1","Price: not ""x"""'
    )
  })
})

describe.skipIf(isMissing("chromium"))("Import page", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("a file is checked, imported and undone", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        const names = Effect.map(client.products.list({ storeId }), ({ items }) => items.map(({ name }) => name))
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/import`)
          await page
            .getByLabel("File to import")
            .setInputFiles({ name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) })
          await page.getByLabel("Field of Produktname").selectOption("Title")
          await assertAccessible(page)
          await page.getByRole("button", { name: "Check file" }).click()
          await page.getByText(/must be a number/).waitFor()
          await assertAccessible(page)
        })
        assert.deepStrictEqual(yield* names, [])
        yield* Effect.promise(async () => {
          const download = page.waitForEvent("download")
          await page.getByRole("button", { name: "Download refused rows" }).click()
          assert.strictEqual((await download).suggestedFilename(), "refused-rows.csv")
          await page.getByRole("button", { name: "Import 1 product" }).click()
          await page.getByRole("button", { name: "Undo import" }).waitFor()
        })
        assert.deepStrictEqual(yield* names, ["Cup"])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Undo import" }).click()
          await page.getByText("Import undone: 1 change reverted").waitFor()
        })
        assert.deepStrictEqual(yield* names, [])
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
