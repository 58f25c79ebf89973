import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"

const render = Effect.promise(async () => (await import("../DocsPage.ts")).renderDocs())

/** `/docs`. The page is 3.4 MB of script: it is loaded when somebody first asks for it, and then kept. */
export const DocsRoutes = HttpLayerRouter.use((router) =>
  Effect.flatMap(Effect.cached(render), (page) =>
    router.add(
      "GET",
      "/docs",
      Effect.map(page, (html) => HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8" }))
    )
  )
)
