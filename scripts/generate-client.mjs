// Writes src/http/client/generated from the OpenAPI document, which is made of the definitions in src/http/api: the methods
// of the promise client and their types, with the words of the reference. --check: only compares.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { format, resolveConfig } from "prettier"
import { groupName, methodsOf, rehearsalIn } from "./client/operations.mjs"
import { typesOf } from "./client/types.mjs"
import { comment, lowerFirst } from "./client/words.mjs"
import { openApiDocument } from "./document.mjs"

const HEAD = "/* Made by scripts/generate-client.mjs of the definitions in src/http/api: `npm run generate`. */"
const CALLS =
  "Answer, CallOptions, CreateOptions, DeleteOptions, DryRun, Listing, Rehearsed, UpdateOptions, WriteOptions"
const folder = fileURLToPath(new URL("../src/http/client/generated", import.meta.url))

const { components, paths, tags } = await openApiDocument()
const types = typesOf(components)
const parameterAt = (ref) => components.parameters[ref.split("/").at(-1)]

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
)

/** A class for each group of operations, and one that has them all. */
const classes = () => {
  const groups = tags.map(({ description, name: tag }) => ({
    name: `${groupName(tag)}Api`,
    property: lowerFirst(groupName(tag)),
    words: comment([`${description}.`]),
    methods: operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .flatMap((one) => methodsOf(one, tag, types, parameterAt))
  }))
  const members = groups.map(
    ({ methods, name, words }) => `${words}export class ${name} {
      readonly #api: Api

      constructor(api: Api) { this.#api = api }

      ${methods.join("\n")}
    }`
  )
  const root = `/** Every operation that there is. */
    export class PartnerClient {
      ${groups.map(({ name, property, words }) => `${words}readonly ${property}: ${name}`).join("\n")}

      constructor(api: Api) {
        ${groups.map(({ name, property }) => `this.${property} = new ${name}(api)`).join("\n")}
      }
    }`
  return [...members, root].join("\n\n")
}

/** Those of the names that the text mentions, as an import of types takes them. */
const mentionedIn = (text, names) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ")

const methods = classes()
const client = [
  HEAD,
  'import type { Api } from "../Api.ts"',
  `import type { ${mentionedIn(methods, CALLS.split(", "))} } from "../Calls.ts"`,
  'import { segment } from "../Segment.ts"',
  `import type { ${mentionedIn(methods, [...types.declared.keys()].toSorted())} } from "./Resources.ts"`,
  methods
].join("\n\n")
types.declare("Rehearsal", rehearsalIn(operations))
const resources = [HEAD, 'import type { JsonNumber } from "../Numbers.ts"', ...types.declared.values()].join("\n\n")

const files = { "Resources.ts": resources, "Operations.ts": client }

const stale = []
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(files)) {
  const file = join(folder, name)
  const formatted = await format(text, { ...(await resolveConfig(file)), filepath: file })
  if (!process.argv.includes("--check")) writeFileSync(file, formatted)
  else if (readFileSync(file, "utf8") !== formatted) stale.push(name)
}
if (stale.length > 0) {
  process.stderr.write(`The client is not that of the definitions (${stale.join(", ")}): npm run generate\n`)
  process.exitCode = 1
}
