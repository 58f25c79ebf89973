import { Effect } from "effect"
import { asset } from "../Asset.ts"

const render = Effect.promise(async () => (await import("../DocsPage.ts")).renderDocs())

/** `/docs`. The page is 3.4 MB of script: it is loaded when somebody first asks for it. */
export const DocsRoutes = asset("/docs", "text/html; charset=utf-8", render)
