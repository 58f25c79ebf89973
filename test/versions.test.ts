import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import lock from "../package-lock.json" with { type: "json" }
import manifest from "../package.json" with { type: "json" }
import { generated } from "./support/http/OpenApi.ts"

const read = (path: string) => readFileSync(path, "utf8")

/** All matches of the first group of a pattern in a file. */
const found = (path: string, pattern: RegExp) => Array.from(read(path).matchAll(pattern), ([, text]) => text)

/** Places that name the release, and what they name. */
const releases: Readonly<Record<string, () => ReadonlyArray<unknown>>> = {
  "package-lock.json": () => [lock.version, lock.packages[""].version],
  "deploy/helm/partner-api/Chart.yaml": () => {
    const Chart = Schema.Struct({ version: Schema.String, appVersion: Schema.String })
    return Object.values(Schema.decodeUnknownSync(Chart)(parse(read("deploy/helm/partner-api/Chart.yaml"))))
  },
  "README.md": () => [
    ...found("README.md", /^Version {6}(\S+)$/gm),
    ...found("README.md", /^Version (\d+\.\d+\.\d+), /gm)
  ],
  "docs/sdk.md": () => found("docs/sdk.md", /partner-api-([\d.]+)\.tgz/g),
  "docs/operations/install.md": () => [
    ...found("docs/operations/install.md", /partner-api-([\d.]+)\.tgz/g),
    ...found("docs/operations/install.md", /--tag \S+\/partner-api:(\S+)/g)
  ],
  "docs/operations/monitor.md": () => found("docs/operations/monitor.md", /"version":"([^"]+)"/g),
  "CHANGELOG.md": () => found("CHANGELOG.md", /^## (\d\S*) - \d{4}-\d{2}-\d{2}$/gm).slice(0, 1),
  "the OpenAPI document": () => {
    const Document = Schema.Struct({ info: Schema.Struct({ version: Schema.String }) })
    return [Schema.decodeUnknownSync(Document)(generated).info.version]
  }
}

for (const [place, versions] of Object.entries(releases)) {
  it(`${place} names the version of package.json`, () => {
    assert.isNotEmpty(versions())
    assert.deepStrictEqual([...new Set(versions())], [manifest.version])
  })
}

it("the changelog has a section for the next release above all others, and sections have less than 500 words", () => {
  const [, ...sections] = read("CHANGELOG.md").split(/^## /m)
  assert.match(sections[0] ?? "", /^Unreleased\n/)
  for (const section of sections.slice(1)) assert.isBelow(section.split(/\s+/).length, 500, section.slice(0, 30))
})

const lowest = manifest.engines.node.replace(">=", "")
const RECOMMENDED = "24"

it("examples, the lock, documents and workflows name the Node of package.json", () => {
  assert.match(manifest.engines.node, /^>=\d+\.\d+$/)
  const Example = Schema.fromJsonString(Schema.Struct({ engines: Schema.Struct({ node: Schema.String }) }))
  const examples = readdirSync("examples", { encoding: "utf8" }).map((name) => `examples/${name}/package.json`)
  assert.isNotEmpty(examples)
  for (const path of examples) {
    assert.strictEqual(Schema.decodeSync(Example)(read(path)).engines.node, manifest.engines.node, path)
  }
  assert.strictEqual(lock.packages[""].engines.node, manifest.engines.node)
  for (const path of ["README.md", "CONTRIBUTING.md", "docs/sdk.md"]) {
    assert.deepStrictEqual(found(path, /Node (\d[\d.]*) or newer/g), [lowest], path)
  }
  assert.deepStrictEqual(found(".github/workflows/ci.yml", /node: \[(.+)\]/g), [`"${lowest}", "${RECOMMENDED}"`])
  assert.deepStrictEqual(found("flake.nix", /pkgs\.nodejs_(\d+)/g), [RECOMMENDED])
  assert.deepStrictEqual(found("deploy/Containerfile", /library\/node:(\d+)-/g), [RECOMMENDED])
  for (const path of ["README.md", "CONTRIBUTING.md"])
    assert.match(read(path), new RegExp(`${RECOMMENDED} (?:is )?rec`))
})
