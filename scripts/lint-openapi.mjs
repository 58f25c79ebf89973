// Holds the OpenAPI document against spectral's rules; any finding fails. --print: only prints the document.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "partner-api-openapi-"))

/** The document, from the definitions alone: no server and no database. */
const generate = async () => {
  const outfile = join(folder, "document.mjs")
  const contents = `
    import { OpenApi } from "@effect/platform"
    import { PartnerApi } from "./src/http/api/PartnerApi.ts"
    export const document = OpenApi.fromApi(PartnerApi)
  `
  await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error"
  })
  const { document } = await import(pathToFileURL(outfile).href)
  return `${JSON.stringify(document, null, 2)}\n`
}

const lint = (text) => {
  const file = join(folder, "openapi.json")
  writeFileSync(file, text)
  const spectral = join(root, "node_modules", ".bin", "spectral")
  const ruleset = join(root, ".spectral.yaml")
  const options = ["lint", file, "--ruleset", ruleset, "--fail-severity", "hint", "--display-only-failures"]
  return spawnSync(spectral, options, { stdio: "inherit" }).status ?? 1
}

try {
  const text = await generate()
  if (process.argv.includes("--print")) process.stdout.write(text)
  else process.exitCode = lint(text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
