// Builds the dashboard and the developer portal into a folder: `node scripts/web.mjs <folder>`.
import { fileURLToPath } from "node:url"
import { build } from "vite"
import { translation } from "./translation.mjs"

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

/** Loads the code of the pages beside the texts of their language, which it waits for. */
const preloadStart = {
  name: "preload-start",
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle }) => {
      const start = Object.values(bundle).find(({ facadeModuleId }) =>
        facadeModuleId?.endsWith("/src/web/app/start.tsx")
      )
      const files = new Set([start.fileName])
      for (const file of files) for (const imported of bundle[file].imports) files.add(imported)
      return [...files].map((file) => ({
        tag: "link",
        attrs: { rel: "modulepreload", crossorigin: true, href: `/web/${file}` },
        injectTo: "head"
      }))
    }
  }
}

/** Functions of schemas whose arguments after the first one are for documents. */
const DESCRIBING = new Set(["field", "nullable", "withDescription"])

/**
 * Ranges of the descriptions in a syntax tree: `.annotate(ToolDescription, …)`, `description` in `.annotate({ … })`, and all
 * arguments but the first one of functions that describe a schema.
 */
const descriptionsIn = (node) => {
  if (node === null || typeof node !== "object") return []
  const { arguments: given = [], callee, type } = node
  if (type === "CallExpression" && DESCRIBING.has(callee.name)) {
    return [...descriptionsIn(given[0]), [given[0].end, given.at(-1).end]]
  }
  const inner = Object.values(node).flatMap(descriptionsIn)
  if (type !== "CallExpression" || callee.property?.name !== "annotate") return inner
  if (given[0]?.name === "ToolDescription") return [...inner, [callee.object.end, node.end]]
  const properties = given[0]?.properties ?? []
  const index = properties.findIndex(({ key }) => key?.name === "description")
  if (index === -1) return inner
  return [...inner, [properties[index].start, properties[index + 1]?.start ?? properties[index].end]]
}

/** Leaves out descriptions for OpenAPI and MCP: pages do not use them, and a first load would have 6 KiB of them. */
const noDescriptions = {
  name: "no-descriptions",
  enforce: "pre",
  transform: {
    filter: { id: /src\/(?:rpc|domain)\/.*\.ts$/ },
    handler(code) {
      const ranges = descriptionsIn(this.parse(code, { lang: "ts" })).toSorted(([a], [b]) => b - a)
      return { code: ranges.reduce((text, [start, end]) => text.slice(0, start) + text.slice(end), code), map: null }
    }
  }
}

// One build for both, so that they share chunks. File names have a content hash.
await build({
  configFile: false,
  root: fileURLToPath(new URL("../src/web", import.meta.url)),
  base: "/web/",
  logLevel: "error",
  plugins: [translation(), noDescriptions, styleSheetsLast, preloadStart],
  build: { outDir: process.argv[2], assetsDir: "", target: "es2022", modulePreload: { polyfill: false } }
})
