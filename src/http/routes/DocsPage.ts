import { HttpRouter } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { hash } from "node:crypto"
import { isObject } from "../../domain/json/Json.ts"
import { openApi } from "../api/Document.ts"
import { PartnerApi } from "../api/PartnerApi.ts"

/** Colors of Scalar with a contrast of 4.5 : 1, where its own have less. */
const COLORS = `
  .light-mode {
    --scalar-color-2: #444b55; --scalar-color-3: #57606c; --scalar-sidebar-color-2: #444b55;
    --scalar-sidebar-search-color: #57606c;
    --scalar-color-blue: #0b5cab; --scalar-color-green: #1b6b3a; --scalar-color-orange: #94480b;
    --scalar-color-red: #a4231b; --scalar-color-purple: #5b3aa6; --scalar-color-yellow: #7a4b00;
    --scalar-color-accent: #0b5cab;
  }
  .dark-mode {
    --scalar-color-3: #a5adb8; --scalar-sidebar-search-color: #a5adb8;
    --scalar-color-blue: #8fb6ff; --scalar-color-red: #ff9a91;
  }
`

/** Options of Scalar. Features that call other hosts are off. */
const scalarOptions = {
  customCss: COLORS,
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: "never",
  hideClientButton: true,
  favicon: "data:,",
  orderSchemaPropertiesBy: "preserve",
  authentication: { preferredSecurityScheme: "bearer" }
}

/**
 * Keeps an optional parameter out of the samples. Scalar adds every parameter with a schema, even an empty `cursor=`, which
 * the API refuses. A schema under `content` means the same and appears only in the table.
 */
const hideFromSamples = (value: unknown): unknown => {
  if (!isObject(value) || typeof value["in"] !== "string" || value["required"] === true) return value
  const { schema, ...parameter } = value
  return schema === undefined ? value : { ...parameter, content: { "text/plain": { schema } } }
}

/** The API with a document whose optional parameters are not in samples. */
const api = PartnerApi.annotate(OpenApi.Transform, () =>
  JSON.parse(JSON.stringify(openApi()), (_, value: unknown) => hideFromSamples(value))
)

/** Hashes the inline scripts of the page for its content security policy. */
const hashScripts = (page: string) =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${hash("sha256", script, "base64")}'`
  )

/**
 * Restricts the page to its own scripts and this host, and forbids frames. Hashes cannot cover the WebAssembly that the
 * script compiles and the inline styles that it sets.
 */
const makeHeaders = (page: string) => ({
  "content-security-policy": `default-src 'none'; script-src 'wasm-unsafe-eval' ${hashScripts(page).join(" ")}; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-frame-options": "DENY"
})

/** Renders the API reference as HTML. The script is inline, so that the page works without internet access. */
export const renderDocs = async () => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpApiScalar.layer(api, { path: "/docs", scalar: scalarOptions }),
    {
      disableLogger: true
    }
  )
  const response = await handler(new Request("http://localhost/docs"))
  // Effect renders the page without a language.
  const text = (await response.text()).replace("<html>", '<html lang="en">')
  await dispose()
  return { text, headers: makeHeaders(text) }
}
