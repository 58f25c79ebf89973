import { HttpApiScalar, HttpLayerRouter } from "@effect/platform"
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

/** The reference for people, as HTML: its script is part of the page, so that it works without internet access. */
export const renderDocs = async (): Promise<string> => {
  const { dispose, handler } = HttpLayerRouter.toWebHandler(
    HttpApiScalar.layerHttpLayerRouter({ api: PartnerApi, path: "/docs", scalar }),
    { disableLogger: true }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const page = await response.text()
  await dispose()
  return page
}
