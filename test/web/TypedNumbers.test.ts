import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"

interface Typed {
  /** Prices that are saved as this number, and shown as this text. */
  readonly accepted: ReadonlyArray<readonly [typed: string, saved: number, shown: string]>
  /** Prices that are refused with this advice. */
  readonly refused: ReadonlyArray<readonly [typed: string, advice: string]>
}

/** Languages of the browser whose separators or digits differ. */
const PRICES: Readonly<Record<string, Typed>> = {
  "de-DE": {
    accepted: [
      ["1.234,50", 1234.5, "1234,50"],
      ["1234", 1234, "1234,00"]
    ],
    refused: [
      ["480.50", "Write 480,50"],
      ["1.234", "Write 1234 or 1,234"],
      ["1,234", "Use at most 2 decimal places, such as 1234,50"]
    ]
  },
  "fr-FR": {
    accepted: [
      ["1\u202f234,50", 1234.5, "1234,50"],
      ["2 345,5", 2345.5, "2345,50"]
    ],
    refused: [["480.50", "Write 480,50"]]
  },
  "pt-BR": { accepted: [["1.234,5", 1234.5, "1234,50"]], refused: [["480.50", "Write 480,50"]] },
  "ar-EG": {
    accepted: [
      ["١٬٢٣٤٫٥٠", 1234.5, "١٢٣٤٫٥٠"],
      ["480.5", 480.5, "٤٨٠٫٥٠"]
    ],
    refused: [["1,5", "Write ١٫٥"]]
  },
  "ja-JP": { accepted: [["１，２３４．５", 1234.5, "1234.50"]], refused: [["1,5", "Write 1.5"]] },
  "en-US": {
    accepted: [["1,234.50", 1234.5, "1234.50"]],
    refused: [
      ["1,5", "Write 1.5"],
      ["1,234", "Write 1234 or 1.234"]
    ]
  }
}

const LOCALES = ["ar-EG", "de-CH", "de-DE", "en-IN", "en-US", "fr-FR", "ja-JP", "pt-BR"]

/** Digits, groups and separators of numbers and prices in each language. Runs in Node.js and in the browser. */
const partsIn = (locales: ReadonlyArray<string>) =>
  locales.flatMap((locale) =>
    [{}, { style: "currency", currency: "EUR" } as const].map((style) =>
      new Intl.NumberFormat(locale, style)
        .formatToParts(1_234_567.5)
        .filter(({ type }) => type !== "currency" && type !== "literal")
        .map(({ value }) => value)
        .join("|")
        // Data of 2026 groups digits in Switzerland by another apostrophe than earlier data.
        .replaceAll("’", "'")
    )
  )

describe.skipIf(isMissing("chromium"))("Numbers typed into pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    for (const [locale, { accepted, refused }] of Object.entries(PRICES)) {
      it.effect(`a price is saved and shown as ${locale} spells it, and another spelling is refused`, () =>
        Effect.gen(function* () {
          const member = yield* dashboardMember({ locale })
          const { client, complaints, dashboard, page, storeId } = member
          const [created] = yield* makeProducts(member, [{ name: "Desk", price: 7 }])
          if (created === undefined) return assert.fail("The product is missing")
          const input = page.getByLabel("Price", { exact: true })
          const save = page.getByRole("button", { name: "Save", exact: true })
          const savedPrice = Effect.map(client.products.get({ storeId, id: created.id }), ({ price }) => price)
          yield* Effect.promise(() => page.goto(`${dashboard}/products/${created.id}`))
          for (const [typed, saved, shown] of accepted) {
            yield* Effect.promise(async () => {
              await input.fill(typed)
              await save.click()
              await save.waitFor({ state: "detached" })
            })
            assert.strictEqual(yield* savedPrice, saved, typed)
            assert.strictEqual(yield* Effect.promise(() => input.inputValue()), shown)
          }
          const before = yield* savedPrice
          for (const [typed, advice] of refused) {
            yield* Effect.promise(async () => {
              await input.fill(typed)
              await input.press("Control+s")
              await page.getByText(advice, { exact: true }).waitFor()
            })
            assert.strictEqual(yield* savedPrice, before, typed)
          }
          yield* Effect.promise(async () => {
            // The page is the same in each language, except for the numbers.
            if (locale === "de-DE") await assertAccessible(page)
            await page.getByRole("button", { name: "Discard" }).click()
            await page.reload()
            await page.getByRole("heading", { level: 1 }).waitFor()
          })
          assert.strictEqual(yield* Effect.promise(() => input.inputValue()), accepted.at(-1)?.[2])
          assert.deepStrictEqual(complaints(), [])
        })
      )
    }

    it.effect("all numbers of a product are shown in the language of the browser, and accepted when typed back", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember({ locale: "de-DE" })
        const { client, complaints, dashboard, page, storeId } = member
        const numbers = { price: 1234.5, discountedPrice: 0.395, costPrice: 1.234 }
        const [created] = yield* makeProducts(member, [
          {
            name: "Desk",
            ...numbers,
            stock: 12_345,
            weight: 0.395,
            dimensions: { length: 160.5, width: 80.25, height: 1.5 },
            variants: [{ title: "Wide", ...numbers, stock: 1234 }]
          }
        ])
        if (created === undefined) return assert.fail("The product is missing")
        const shown = {
          Price: "1234,50",
          "Sale price": "0,395",
          Cost: "1,234",
          Weight: "0,395",
          Length: "160,5",
          Width: "80,25",
          Height: "1,5",
          "Price of variant 1": "1234,50",
          "Sale price of variant 1": "0,395",
          "Cost of variant 1": "1,234"
        }
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${created.id}`)
          // So the parsing of all languages, which NumberParsing.test.ts tests in Node.js, is the same in browsers.
          assert.deepStrictEqual(await page.evaluate(partsIn, LOCALES), partsIn(LOCALES))
          for (const [label, text] of Object.entries(shown)) {
            const input = page.getByLabel(label, { exact: true })
            assert.strictEqual(await input.inputValue(), text, label)
            await input.fill("1.23")
          }
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Correct 10 fields").waitFor()
          for (const [label, text] of Object.entries(shown))
            await page.getByLabel(label, { exact: true }).fill(`0${text}`)
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Product saved").waitFor()
          await page.getByText("1.234 in stock in 1 variant", { exact: true }).waitFor()
          await page.getByRole("button", { name: "Update stock of variant 1: 1.234" }).click()
          const dialog = page.getByRole("dialog", { name: "Update stock", exact: true })
          await dialog.getByText("1.234 in stock for Wide.").waitFor()
          await page.getByLabel("Quantity to add").fill("-0,5")
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await dialog.getByText("Write a whole number, such as 1234 or 1.234").waitFor()
          await page.getByLabel("Quantity to add").fill("1.000")
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await page.getByRole("button", { name: "Update stock of variant 1: 2.234" }).waitFor()
        })
        const { dimensions, variants, weight, ...product } = yield* client.products.get({ storeId, id: created.id })
        assert.deepInclude(product, numbers)
        assert.deepStrictEqual([weight, dimensions], [0.395, { length: 160.5, width: 80.25, height: 1.5 }])
        assert.deepInclude(variants[0], { ...numbers, stock: 2234 })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("bulk edits, rules and limits of agents refuse numbers of another language", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember({ locale: "de-DE" })
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, [{ name: "Desk", price: 7, stock: 5 }])
        const advice = page.getByText("Write 480,50")
        const bulkEdit = async (action: string, label: string, wrong: string, right: string, problem: string) => {
          await page.getByLabel("Select Desk").check()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption(action)
          await page.getByLabel(label).fill(wrong)
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText(problem).waitFor()
          await page.getByLabel(label).fill(right)
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByRole("button", { name: "Apply to 1 product" }).click()
          await page.getByText("1 product edited").last().waitFor()
          await page.getByRole("dialog", { name: "Edit" }).waitFor({ state: "detached" })
        }
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await bulkEdit("Set price", "New price", "480.50", "480,50", "Write 480,50")
          await bulkEdit("Adjust stock", "Adjust by", "-1,5", "1.000", "Write a whole number, such as 1234 or 1.234")
        })
        const [product] = (yield* client.products.list({ storeId })).items
        assert.deepStrictEqual([product?.price, product?.stock], [480.5, 1005])

        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/collections/new`)
          await page.getByLabel("Title", { exact: true }).fill("Cheap")
          await page.getByLabel("Collection type").selectOption("automated")
          await page.getByRole("button", { name: "Add rule" }).click()
          await page.getByLabel("Field").selectOption("price")
          await page.getByLabel("Value", { exact: true }).fill("480.50")
          await page.getByRole("button", { name: "Create collection" }).click()
          await advice.waitFor()
          await page.getByLabel("Value", { exact: true }).fill("480,5")
          await page.getByText("1 product matches").waitFor()
          await page.getByLabel("Condition").selectOption("in")
          await page.getByLabel("Value", { exact: true }).fill("1234\n480.50")
          await page.getByRole("button", { name: "Create collection" }).click()
          await advice.waitFor()
          await page.getByLabel("Value", { exact: true }).fill("480,5\n1234")
          await page.getByRole("button", { name: "Create collection" }).click()
          await page.getByRole("heading", { name: "Cheap", level: 1 }).waitFor()
          assert.strictEqual(await page.getByLabel("Value", { exact: true }).inputValue(), "480,5\n1234")
        })
        const { rules } =
          (yield* client.collections.list({ storeId })).items[0] ?? assert.fail("The collection is missing")
        assert.deepStrictEqual(rules, [{ field: "price", relation: "in", value: [480.5, 1234] }])

        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/agents`)
          await page.getByRole("button", { name: "Create agent" }).first().click()
          await page.getByLabel("Name").fill("Restocker")
          await page.getByLabel("Requests per minute").fill("12,5")
          await page.getByLabel("Daily write limit").fill("1,000")
          await page.getByRole("button", { name: "Create agent" }).click()
          await page.getByText("Write a whole number, such as 1234 or 1.234").first().waitFor()
          await page.getByLabel("Requests per minute").fill("50")
          // The hint shows a limit with a separator, and a whole number has no other reading.
          await page.getByText("Up to 100.000.").waitFor()
          await page.getByLabel("Daily write limit").fill("100.000")
          await page.getByRole("button", { name: "Create agent" }).click()
          await page.getByRole("heading", { name: "Restocker created" }).waitFor()
        })
        const [agent] = (yield* client.agents.list({ storeId })).items
        assert.deepStrictEqual([agent?.budget, agent?.window], [100_000, 50])
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
