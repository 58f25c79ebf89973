import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { storedDocument } from "../../src/domain/json/StoredDocument.ts"
import { documents, findDocumentChanges } from "../support/releases/DocumentChanges.ts"

const registry = readFileSync("test/support/releases/StoredDocuments.ts", "utf8")

it("all stored documents are registered by name", () => {
  const found = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("json/StoredDocument.ts"))
    .flatMap((file) =>
      [...readFileSync(join("src", file), "utf8").matchAll(/(?:export const (\w+) = )?\bstoredDocument\(/g)].map(
        ([, name]) => ({ file, name: name ?? "storedDocument() outside of an exported constant" })
      )
    )
  assert.deepStrictEqual(
    found.filter(({ name }) => !new RegExp(`: (?:\\w+\\.)?${name},?$`, "m").test(registry)),
    []
  )
  assert.lengthOf(Object.keys(documents), found.length)
})

const Cup = Schema.Struct({
  name: Schema.String,
  note: Schema.NullOr(Schema.String),
  sizes: Schema.Array(Schema.Struct({ width: Schema.Number }))
})
const released = { cup: storedDocument(Cup, { defaults: { note: null } }) }

const changesOf = (schema: Schema.Codec<unknown, unknown>, options: object = {}, isLatest = true) =>
  findDocumentChanges("1.0.0", released, { current: { cup: storedDocument(schema, options) }, facets: [], isLatest })

const Colored = Schema.Struct({ ...Cup.fields, color: Schema.String })

it("a new member needs a default, also in items of lists, but not in a new member", () => {
  assert.deepStrictEqual(changesOf(Cup, { defaults: { note: null } }), [])
  const defaults = { note: null, color: "" }
  assert.deepStrictEqual(changesOf(Colored, { defaults }), [])
  assert.match(changesOf(Colored, { defaults: { note: null } }).join("\n"), /^cup: color is required.*`defaults`/)
  const Deep = Schema.Struct({
    ...Cup.fields,
    sizes: Schema.Array(Schema.Struct({ width: Schema.Number, height: Schema.Number })),
    lid: Schema.optional(Schema.Struct({ material: Schema.String }))
  })
  assert.match(changesOf(Deep, { defaults: { note: null } }).join("\n"), /^cup: sizes\[\]\.height is required[^\n]*$/)
  assert.deepStrictEqual(changesOf(Deep, { defaults: { note: null }, nested: { sizes: { height: 1 } } }), [])
  assert.match(changesOf(Cup).join("\n"), /^cup: note is required/)
})

it("a member that the last release requires is still written", () => {
  const { name: _, ...others } = Cup.fields
  const options = { defaults: { note: null } }
  assert.match(changesOf(Schema.Struct(others), options).join("\n"), /^cup: name is not always written any more/)
  const Optional = Schema.Struct({ ...others, name: Schema.optional(Schema.String) })
  assert.match(changesOf(Optional, options).join("\n"), /^cup: name is not always written any more/)
  assert.deepStrictEqual(changesOf(Cup, { defaults: { note: null, name: "" } }), [])
  // A release before the last one does not run beside this one.
  assert.deepStrictEqual(changesOf(Schema.Struct(others), options, false), [])
  assert.match(
    findDocumentChanges("1.0.0", released, { current: {}, facets: [] }).join("\n"),
    /^cup of release 1\.0\.0 is/
  )
})

it("a new product field that rules compare has the default null", () => {
  const product = { required: ["name"], members: ["name"] }
  const changes = (facets: ReadonlyArray<readonly [string, boolean]>) =>
    findDocumentChanges("1.0.0", { product }, { current: { product }, facets })
  assert.deepStrictEqual(
    changes([
      ["name", false],
      ["color", true]
    ]),
    []
  )
  assert.match(changes([["color", false]]).join("\n"), /^product: rules compare color, .* Give it the default null/)
})
