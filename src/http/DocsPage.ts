import { HttpApiScalar, HttpLayerRouter, OpenApi } from "@effect/platform"
import { isObject } from "../domain/Json.ts"
import { complete } from "./api/Conventions.ts"
import { PartnerApi } from "./api/PartnerApi.ts"

/** What would ask another host, or offer to, is turned off; the rest is how the page reads best. */
const scalar = {
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
const outOfSamples = (value: unknown): unknown => {
  if (!isObject(value) || typeof value["in"] !== "string" || value["required"] === true) return value
  const { schema, ...parameter } = value
  return schema === undefined ? value : { ...parameter, content: { "text/plain": { schema } } }
}

/** The document as the page shows it best: what a request need not have is in no sample. */
const api = PartnerApi.annotate(OpenApi.Transform, (spec) =>
  JSON.parse(JSON.stringify(complete(spec)), (_, value: unknown) => outOfSamples(value))
)

/** The reference for people, as HTML: its script is part of the page, so that it works without internet access. */
export const renderDocs = async (): Promise<string> => {
  const { dispose, handler } = HttpLayerRouter.toWebHandler(
    HttpApiScalar.layerHttpLayerRouter({ api, path: "/docs", scalar }),
    { disableLogger: true }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const page = await response.text()
  await dispose()
  return page
}
