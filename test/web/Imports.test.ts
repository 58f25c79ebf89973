import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { detectFile, refusedCsv } from "../../src/web/features/imports/importFile.ts"
import { CSV_HEADERS } from "../../src/domain/imports/Csv.ts"
import { DataKind } from "../../src/domain/imports/DataKind.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"

const CSV = ["Produktname;Handle;Variant Price", "Cup;cup;12,50", "Plate;plate;cheap"].join("\n")

describe("Files of imports", () => {
  it("the format follows the name of a file, or its first character", () => {
    assert.deepStrictEqual(detectFile("orders.JSONL", ""), { format: "jsonl", kind: "orders" })
    assert.deepStrictEqual(detectFile("products.csv", "{"), { format: "shopify", kind: "products" })
    assert.deepStrictEqual(detectFile("products.txt", " {"), { format: "jsonl", kind: "products" })
    assert.deepStrictEqual(detectFile("all", "Handle,Title"), { format: "shopify", kind: undefined })
  })

  it("the columns of an export tell its kind, also in UTF-16", () => {
    for (const kind of DataKind.literals) {
      const header = CSV_HEADERS[kind]
      assert.deepStrictEqual(detectFile("data.csv", `${header}1,2`), { format: "csv", kind })
      assert.deepStrictEqual(detectFile("data.csv", [...header].join("\0")), { format: "csv", kind })
      const semicolons = `sep=;\r\n${header.replaceAll(",", ";")}`
      assert.deepStrictEqual(detectFile("data.csv", semicolons), { format: "csv", kind })
    }
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
          assert.strictEqual(await page.getByLabel("Delimiter").inputValue(), "semicolon")
          assert.strictEqual(await page.getByLabel("Decimal sign").inputValue(), "comma")
          const columns = page.getByRole("table", { name: "Columns of the file" }).getByRole("row")
          assert.strictEqual(await columns.count(), 2)
          await page.getByRole("button", { name: "Show all columns" }).click()
          assert.strictEqual(await columns.count(), 4)
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

    it.effect("an import copies pictures on request, and lists those that keep their web addresses", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        const url = "https://10.0.0.1/cup.png"
        const csv = ["Handle,Title,Image Src", `cup,Cup,${url}`].join("\n")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/import`)
          await page
            .getByLabel("File to import")
            .setInputFiles({ name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
          const copies = page.getByLabel("Copy pictures from their web addresses")
          assert.isFalse(await copies.isChecked())
          await copies.check()
          await page.getByRole("button", { name: "Check file" }).click()
          await page.getByRole("button", { name: "Import 1 product" }).click()
          const failed = page.getByRole("table", { name: "Pictures not copied" })
          await failed.getByText(/public addresses only/).waitFor()
          await failed.getByText(url, { exact: true }).waitFor()
          await assertAccessible(page)
        })
        const { items } = yield* client.products.list({ storeId })
        assert.deepStrictEqual(
          items.map(({ imageUrl }) => imageUrl),
          [url]
        )
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
