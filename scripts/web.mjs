// Builds the dashboard and the developer portal into a folder: `node scripts/web.mjs <folder>`.
import { fileURLToPath } from "node:url"
import { build } from "vite"

// Tests run this too, and must get the production build.
process.env.NODE_ENV = "production"

const STYLE_SHEET = /\s*<link rel="stylesheet"[^>]*>/g

/** Moves style sheets to the end of the page: before it they would delay its skeleton. Scripts wait for them anyway. */
const styleSheetsLast = {
  name: "style-sheets-last",
  transformIndexHtml: {
    order: "post",
    handler: (html) =>
      html.replaceAll(STYLE_SHEET, "").replace("</body>", `${(html.match(STYLE_SHEET) ?? []).join("")}\n  </body>`)
  }
}

// One build for both, so that they share chunks. File names have a content hash.
await build({
  configFile: false,
  root: fileURLToPath(new URL("../src/web", import.meta.url)),
  base: "/web/",
  logLevel: "error",
  plugins: [styleSheetsLast],
  build: { outDir: process.argv[2], assetsDir: "", target: "es2022", modulePreload: { polyfill: false } }
})
