import { HttpRouter } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { hash } from "node:crypto"
import { isObject } from "../domain/Json.ts"
import { openApi } from "./api/Document.ts"
import { PartnerApi } from "./api/PartnerApi.ts"

/** Options of the reference. Features that call other hosts are off. */
const scalarOptions = {
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: "never",
  hideClientButton: true,
  favicon: "data:,",
  orderSchemaPropertiesBy: "preserve",
  authentication: { preferredSecurityScheme: "bearer" }
}

/**
 * The page puts every parameter with a schema into its samples, empty when there is no example: `cursor=`, which the
 * service refuses. A parameter whose schema is that of its content means the same, and is in the table alone.
 */
const hideFromSamples = (value: unknown): unknown => {
  if (!isObject(value) || typeof value["in"] !== "string" || value["required"] === true) return value
  const { schema, ...parameter } = value
  return schema === undefined ? value : { ...parameter, content: { "text/plain": { schema } } }
}

/** The document as the page shows it best: what a request need not have is in no sample. */
const api = PartnerApi.annotate(OpenApi.Transform, () =>
  JSON.parse(JSON.stringify(openApi()), (_, value: unknown) => hideFromSamples(value))
)

/** The scripts of the page: the reference itself, and what starts it with the document. */
const hashScripts = (page: string) =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${hash("sha256", script, "base64")}'`
  )

/**
 * Runs only the page's own scripts, calls only this host, and cannot be framed. Hashes cannot name the WebAssembly that the
 * script compiles, or the styles that it sets on single elements.
 */
const makeHeaders = (page: string) => ({
  "content-security-policy": `default-src 'none'; script-src 'wasm-unsafe-eval' ${hashScripts(page).join(" ")}; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** The reference for people, as HTML: its script is part of the page, so that it works without internet access. */
export const renderDocs = async () => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpApiScalar.layer(api, { path: "/docs", scalar: scalarOptions }),
    {
      disableLogger: true
    }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const text = await response.text()
  await dispose()
  return { text, headers: makeHeaders(text) }
}
