// Checks the OpenAPI document with Spectral. Any finding fails. --print: prints the document instead.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "./document.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

const lint = (text) => {
  const folder = mkdtempSync(join(tmpdir(), "partner-api-lint-"))
  const file = join(folder, "openapi.json")
  writeFileSync(file, text)
  const spectral = join(root, "node_modules", ".bin", "spectral")
  const ruleset = join(root, ".spectral.yaml")
  const options = ["lint", file, "--ruleset", ruleset, "--fail-severity", "hint", "--display-only-failures"]
  try {
    return spawnSync(spectral, options, { stdio: "inherit" }).status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const text = `${JSON.stringify(await openApiDocument(), null, 2)}\n`
if (process.argv.includes("--print")) process.stdout.write(text)
else process.exitCode = lint(text)
