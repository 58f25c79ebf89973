import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "yaml"

const read = (path: string) => readFileSync(path, "utf8")

/** Paths of the files in a folder and its subfolders. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))

/** Templates of Helm become YAML when they are rendered. */
const isTemplate = (path: string) => path.includes("/templates/")

const documented = new Set(
  Array.from(read("docs/configuration.md").matchAll(/`([A-Z][A-Z0-9_]+)`/g), ([, name]) => name)
)

const Settings = Schema.Record(Schema.String, Schema.String)

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      image: Schema.String,
      environment: Schema.optionalKey(Settings),
      volumes: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})

const compose = () => Schema.decodeUnknownSync(Compose)(parse(read("deploy/compose.yaml"), { merge: true })).services

/** Names in `Environment=` and `ENV`, whose values contain no spaces. */
const assignments = (line: string) => Array.from(line.matchAll(/([A-Z][A-Z0-9_]+)=/g), ([, name = ""]) => name)

/** Environment variables that a file sets for processes of the service. */
const settings: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  "deploy/compose.yaml": () =>
    Object.values(compose())
      .filter(({ image }) => image === "partner-api")
      .flatMap(({ environment = {} }) => Object.keys(environment)),
  "deploy/Containerfile": () => assignments(/^ENV [^]*?[^\\]$/m.exec(read("deploy/Containerfile"))?.[0] ?? ""),
  "deploy/helm/partner-api": () => {
    const { env } = Schema.decodeUnknownSync(Schema.Struct({ env: Settings }))(
      parse(read("deploy/helm/partner-api/values.yaml"))
    )
    const templates = filesIn("deploy/helm/partner-api/templates").map(read).join("\n")
    const set = Array.from(templates.matchAll(/\{ name: ([A-Z][A-Z0-9_]+), value:/g), ([, name = ""]) => name)
    return [...Object.keys(env), ...set]
  },
  "deploy/systemd": () =>
    filesIn("deploy/systemd").flatMap((path) =>
      Array.from(read(path).matchAll(/^Environment=.*$/gm), ([line]) => line).flatMap(assignments)
    )
}

for (const path of filesIn("deploy").filter((file) => /\.(?:ya?ml|json)$/.test(file) && !isTemplate(file))) {
  it(`${path} can be parsed`, () => {
    assert.isObject(parse(read(path), { merge: true }))
  })
}

for (const [path, names] of Object.entries(settings)) {
  it(`${path} sets only variables that docs/configuration.md lists`, () => {
    assert.isNotEmpty(names())
    assert.deepStrictEqual(
      names().filter((name) => name !== "NODE_ENV" && !documented.has(name)),
      []
    )
  })
}

const optionsIn = (path: string) =>
  Array.from(read(path).matchAll(/\bNODE_OPTIONS=([\w=-]+)/g), ([, options]) => options)

it("the image and the units of systemd start Node with the options of docs/operations/scale.md", () => {
  const advised = optionsIn("docs/operations/scale.md")
  assert.lengthOf(advised, 1)
  for (const path of ["deploy/Containerfile", ...filesIn("deploy/systemd")]) {
    assert.deepStrictEqual(optionsIn(path), advised, path)
  }
})

it("the files that deploy/compose.yaml mounts exist", () => {
  const sources = Object.values(compose())
    .flatMap(({ volumes = [] }) => volumes)
    .flatMap((volume) => volume.split(":").slice(0, 1))
    .filter((source) => source.startsWith("."))
  assert.isNotEmpty(sources)
  assert.deepStrictEqual(
    sources.filter((source) => !existsSync(join(dirname("deploy/compose.yaml"), source))),
    []
  )
})

it("the pooler of deploy/compose.yaml has the settings that docs/poolers.md requires", () => {
  const connectQuery = /connect_query='[^']+'/
  const [required = ""] = connectQuery.exec(read("docs/poolers.md")) ?? []
  assert.notStrictEqual(required, "")
  assert.include(read("deploy/compose.yaml"), required)
  for (const line of ["pool_mode = transaction", "query_wait_timeout = 10", "server_login_retry = 1"]) {
    for (const path of ["deploy/compose.yaml", "docs/poolers.md"]) assert.include(read(path), line, path)
  }
})

it("the nodes of deploy/patroni lose no acknowledged write, and haproxy leads only to their primary", () => {
  const Patroni = Schema.Struct({
    bootstrap: Schema.Struct({
      dcs: Schema.Struct({
        ttl: Schema.Int,
        loop_wait: Schema.Int,
        retry_timeout: Schema.Int,
        synchronous_mode: Schema.Literal(true)
      })
    })
  })
  const { dcs } = Schema.decodeUnknownSync(Patroni)(parse(read("deploy/patroni/patroni.yml"))).bootstrap
  // Patroni ignores other values.
  assert.isAtLeast(dcs.ttl, dcs.loop_wait + 2 * dcs.retry_timeout)
  const haproxy = read("deploy/patroni/haproxy.cfg")
  assert.include(haproxy, "option httpchk GET /primary")
  assert.include(haproxy, "on-marked-down shutdown-sessions")
  const variables = Array.from(haproxy.matchAll(/"\$\{([A-Z_0-9]+)\}"/g), ([, name]) => name)
  const described = haproxy
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .join("\n")
  assert.isNotEmpty(variables)
  assert.deepStrictEqual(
    variables.filter((name) => !described.includes(name ?? "")),
    []
  )
})
