import { build } from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Builds the OpenAPI document from the definitions, without a server or database. */
export const openApiDocument = async () => {
  const folder = mkdtempSync(join(tmpdir(), "partner-api-openapi-"))
  const outfile = join(folder, "document.mjs")
  const contents = `
    import { openApi } from "./src/http/api/Document.ts"
    export const document = openApi()
  `
  try {
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
    return document
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
