import { assert, describe, it, layer } from "@effect/vitest"
import { getCatalogs } from "@lingui/cli/api"
import { getConfig } from "@lingui/conf"
import { compileMessage, type CompiledMessage } from "@lingui/message-utils/compileMessage"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { parseSync, Visitor } from "vite"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"
import { makeProducts } from "../support/data/Products.ts"

const readCatalog = async () => {
  const [catalog] = await getCatalogs(getConfig())
  if (catalog === undefined) return assert.fail("lingui.config.ts names no catalog")
  return { used: (await catalog.collect()) ?? {}, stored: (await catalog.read("de")) ?? {} }
}

const namesIn = (message: CompiledMessage): ReadonlyArray<string> =>
  message.flatMap((token) => {
    if (typeof token === "string") return []
    const [name, , choices = {}] = token
    return [name, ...Object.values(choices ?? {}).flatMap((choice) => (Array.isArray(choice) ? namesIn(choice) : []))]
  })

/** Names of the values in a message, such as `changes` and `0`. */
const valuesIn = (message: string) => [...new Set(namesIn(compileMessage(message)))]

/** True for words that a person reads, and false for codes such as `utf-8` and `products.create`. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && /^[^\p{L}/]*\p{Lu}\p{Ll}|\p{L} \p{L}/u.test(value)

/** True for the beginning of a sentence. */
const isSentence = (value: unknown): value is string =>
  typeof value === "string" && /^\p{Lu}\p{Ll}+ \p{Ll}/u.test(value)

const TEXT_ATTRIBUTES = new Set(["alt", "aria-label", "aria-description", "hint", "label", "placeholder", "title"])

interface Range {
  readonly start: number
  readonly end: number
}

/** Texts of a file that no macro of Lingui translates. Outside of files of texts, a literal must look like a sentence. */
const untranslatedIn = (file: string): ReadonlyArray<string> => {
  const isFound = file.endsWith("Texts.ts") ? isText : isSentence
  const skipped: Array<Range> = []
  const texts: Array<Range & { readonly text: unknown }> = []
  const skip = ({ end, start }: Range) => skipped.push({ start, end })
  const add = ({ end, start }: Range, text: unknown) => texts.push({ start, end, text })
  new Visitor({
    ImportDeclaration: skip,
    NewExpression: (created) => {
      if (created.callee.type === "Identifier" && created.callee.name === "Error") skip(created)
    },
    TaggedTemplateExpression: ({ quasi, tag }) => {
      if (tag.type === "Identifier" && tag.name === "t") quasi.quasis.forEach(skip)
    },
    CallExpression: (call) => {
      if (call.callee.type === "Identifier" && ["plural", "select", "t"].includes(call.callee.name)) skip(call)
    },
    JSXText: (node) => {
      if (isText(node.value)) add(node, node.value.trim())
    },
    JSXAttribute: ({ name, value }) => {
      if (value?.type !== "Literal" || name.type !== "JSXIdentifier") return
      if (TEXT_ATTRIBUTES.has(name.name) && isText(value.value)) add(value, value.value)
    },
    Literal: (node) => {
      if (isFound(node.value)) add(node, node.value)
    },
    TemplateElement: (node) => {
      if (isFound(node.value.cooked)) add(node, node.value.cooked)
    }
  }).visit(parseSync(file, readFileSync(file, "utf8")).program)
  return texts
    .filter(({ start }) => !skipped.some((range) => range.start <= start && start < range.end))
    .map(({ text }) => `${file}: ${String(text)}`)
}

describe("Translation", () => {
  it("the German catalog has every message of the pages, with the same values, and no other", async () => {
    const { stored, used } = await readCatalog()
    assert.isNotEmpty(Object.keys(used))
    assert.sameMembers(Object.keys(stored), Object.keys(used), "Run `npm run translations`")
    for (const [id, { message = "" }] of Object.entries(used)) {
      const translation = stored[id]?.translation ?? ""
      assert.notStrictEqual(translation, "", `“${message}” is not translated`)
      assert.includeMembers(valuesIn(message), valuesIn(translation), `“${message}” does not give these values`)
    }
  })

  it("a message is a whole text, because languages order the parts of a sentence differently", async () => {
    const { used } = await readCatalog()
    const parts = Object.values(used).flatMap(({ message = "" }) => (/^[\s.,]|\s$/.test(message) ? [message] : []))
    assert.deepStrictEqual(parts, [])
  })

  it("all texts of the pages are translated", () => {
    const files = readdirSync("src/web", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name))
    assert.isNotEmpty(files)
    assert.deepStrictEqual(
      files.flatMap((name) => untranslatedIn(`src/web/${name}`)),
      []
    )
  })
})

describe.skipIf(isMissing("chromium"))("Pages in German", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("every page of the menu is German, and a member chooses the language", () =>
      Effect.gen(function* () {
        const { stored, used } = yield* Effect.promise(readCatalog)
        const english = new Set(
          Object.entries(used).flatMap(([id, { message = "" }]) =>
            stored[id]?.translation === message ? [] : [message]
          )
        )
        const member = yield* dashboardMember({ locale: "de-DE", language: "de" })
        const { complaints, dashboard, page } = member
        yield* makeProducts(member, [{ name: "Tasse", price: 1234.5, stock: 3 }])
        const links = page.getByRole("navigation", { name: "Hauptmenü", exact: true }).getByRole("link")
        const englishIn = async () => {
          const lines = (await page.locator("body").innerText()).split(/[\n\t]/)
          return lines.filter((line) => english.has(line.trim()))
        }
        const left = yield* Effect.promise(async () => {
          const found: Array<string> = []
          await page.goto(dashboard)
          await page.getByRole("heading", { name: "Start" }).waitFor()
          assert.strictEqual(await page.evaluate(() => document.documentElement.lang), "de")
          for (const link of await links.all()) {
            await link.click()
            await page.getByRole("heading", { level: 1 }).waitFor()
            await page.waitForLoadState("networkidle")
            found.push(...(await englishIn()))
          }
          return found
        })
        assert.deepStrictEqual(left, [])
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByText("1 Produkt", { exact: true }).waitFor()
          await page.getByText("1.234,50 €").waitFor()
          await assertAccessible(page)
          await page.getByRole("combobox", { name: "Sprache" }).selectOption("English")
          await page.getByText("1 product", { exact: true }).waitFor()
          // Numbers stay in the language of the browser.
          await page.getByText("1.234,50 €").waitFor()
          await page.reload()
          await page.getByRole("heading", { name: "Products", exact: true }).waitFor()
          assert.isNotEmpty(await englishIn())
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
