import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import manifest from "../package.json" with { type: "json" }

const documents = [".", "docs"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: folder === "docs", encoding: "utf8" }).map((file) => join(folder, file))
  )
  .filter((file) => file.endsWith(".md"))
  .toSorted()

const textOf = (file: string) => readFileSync(file, "utf8")

/** Anchors of the headings of a document, as GitHub generates them. */
const anchorsOf = (file: string) =>
  new Set(
    [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(/\s/g, "-")
    )
  )

/** Lines of the shell blocks of a document, without comments. */
const commandsOf = (file: string) =>
  [...textOf(file).matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
    block.split("\n").map((line) => line.replace(/\s+#.*$/, "").trim())
  )

it("every relative link in the documents leads to an existing file and heading", () => {
  const links = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(([link, path = "", anchor]) => ({
      broken: `${file}: ${link}`,
      target: path === "" ? file : normalize(join(dirname(file), path)),
      anchor
    }))
  )
  assert.isAbove(links.length, 50)
  const broken = links.filter(
    ({ anchor, target }) => !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor))
  )
  assert.deepStrictEqual(
    broken.map((link) => link.broken),
    []
  )
})

it("commands in the documents use existing npm scripts, files and folders", () => {
  const scripts = new Set(["start", "test", ...Object.keys(manifest.scripts)])
  const commands = documents.flatMap((file) => commandsOf(file).map((command) => ({ file, command })))
  assert.isAbove(commands.length, 20)
  const missing = commands.filter(({ command }) => {
    const [, script] = /^(?:\w+=\S+ )*npm run ([\w:]+)/.exec(command) ?? []
    const [, path] =
      /^(?:cd |npx vitest run |node |(?=\.ci\/))((?:\.ci|examples|scripts|test)\/\S+)/.exec(command) ?? []
    return (script !== undefined && !scripts.has(script)) || (path !== undefined && !existsSync(path))
  })
  assert.deepStrictEqual(missing, [])
})

/** True for documents with current paths. Decision records may name old ones; the contract names none. */
const isCurrent = (file: string) => !/^docs\/(?:decisions|spec)\//.test(file) && file !== "CHANGELOG.md"

const targets = (path: string) => [path, `src/${path}`, `test/${path}`, `test/${path}.test.ts`]

it("every path in the documents exists below the root, src or test", () => {
  const paths = documents
    .filter(isCurrent)
    .flatMap((file) =>
      [
        ...textOf(file).matchAll(
          /`((?:\.ci|cli|docs|domain|examples|http|layers|rpc|scripts|src|test|web)\/[\w./-]+)`/g
        )
      ].map(([, path = ""]) => ({ file, path }))
    )
  assert.isAbove(paths.length, 60)
  assert.deepStrictEqual(
    paths.filter(({ path }) => !targets(path).some((target) => existsSync(target))),
    []
  )
})

it("code names in the glossary are exports of src/domain", () => {
  const sources = readdirSync("src/domain", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => textOf(join("src/domain", file)))
    .join("\n")
  const names = [...textOf("docs/glossary.md").matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name)
  assert.isAbove(names.length, 20)
  assert.deepStrictEqual(
    names.filter((name) => !new RegExp(`^export (?:class|const|interface|type) ${name}\\b`, "m").test(sources)),
    []
  )
})
