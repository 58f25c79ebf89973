// Compares the stored documents with those of each release, which are in test/data/releases/<version>/documents.json. Fails
// if one release could not read what another one wrote.
import { build } from "esbuild"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const releases = join(root, "test/data/releases")

/** Bundles the comparison, because it reads the schemas of the service. */
const loadComparison = async () => {
  // In the project, so that packages are found.
  const folder = mkdtempSync(join(root, "node_modules", ".partner-api-documents-"))
  const outfile = join(folder, "documents.mjs")
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ["test/support/releases/DocumentChanges.ts"],
      outfile,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      logLevel: "error"
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const versions = existsSync(releases)
  ? readdirSync(releases).toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
  : []
const { findDocumentChanges } = await loadComparison()
const problems = versions.flatMap((version) => {
  const path = join(releases, version, "documents.json")
  if (!existsSync(path)) return [`Release ${version} has no documents.json in test/data/releases/${version}`]
  const isLatest = version === versions.at(-1)
  return findDocumentChanges(version, JSON.parse(readFileSync(path, "utf8")), { isLatest })
})
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
