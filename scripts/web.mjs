// Builds the pages of merchants and developers into the folder that is named, for the service to serve.
import { fileURLToPath } from "node:url"
import { build } from "vite"

// Whatever starts this, also a test: what is built is what is served.
process.env.NODE_ENV = "production"

// The dashboard and the portal in one, so that what they share is loaded once. Names carry a hash of what is in them.
await build({
  configFile: false,
  root: fileURLToPath(new URL("../src/web", import.meta.url)),
  base: "/web/",
  logLevel: "error",
  build: { outDir: process.argv[2], assetsDir: "", target: "es2022", modulePreload: { polyfill: false } }
})
