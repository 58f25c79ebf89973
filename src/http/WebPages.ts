import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ASKED_ABOUT, keep, sendKept } from "./Asset.ts"
import { NOT_FOUND } from "./Reply.ts"

/** The folder that `npm run build` puts the pages of `src/web` into: beside the service's own script. */
export const WebFolder = Context.Reference("http/WebFolder", {
  defaultValue: () => fileURLToPath(new URL("./web/", import.meta.url))
})

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8"
}

/** Its name has a hash of what is in it: under this name there will never be anything else (RFC 8246). */
const FOR_GOOD = "public, max-age=31536000, immutable"

/**
 * What the pages may do: run and load what is ours, call this host, and show pictures of products from wherever they are.
 * They stand in no frame.
 */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https: http:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

const NOT_BUILT = "The pages are not built: run npm run build, and start the service again\n"

const readAll = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.promise(() => readdir(folder).catch((): ReadonlyArray<string> => []))
  const files = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.flatMap(
        Effect.promise(() => readFile(join(folder, name))),
        keep
      ),
      (kept) => [name, kept] as const
    )
  )
  return new Map(files)
})

const typeOf = (name: string) => TYPES[extname(name)] ?? "application/octet-stream"

const missing = HttpServerResponse.text(NOT_FOUND.body, { status: NOT_FOUND.status, contentType: "application/json" })

/**
 * The dashboard and the portal: one page for every address below `/dashboard` and `/developers`, which shows what stands
 * there itself, and what it is made of below `/web`. They are read when somebody first asks.
 */
export const WebRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const files = yield* Effect.cached(readAll(yield* WebFolder))

    const page = Effect.gen(function* () {
      const kept = (yield* files).get("index.html")
      if (kept === undefined) return HttpServerResponse.text(NOT_BUILT, { status: 503 })
      return yield* sendKept(kept, {
        ...PAGE_HEADERS,
        "content-type": typeOf("index.html"),
        "cache-control": ASKED_ABOUT
      })
    })
    for (const path of ["/dashboard/*", "/developers/*"] as const) {
      yield* router.add("GET", path, page)
    }

    yield* router.add(
      "GET",
      "/web/:name",
      Effect.gen(function* () {
        const { name = "" } = yield* HttpRouter.params
        const kept = (yield* files).get(name)
        if (kept === undefined || name === "index.html") return missing
        return yield* sendKept(kept, {
          "content-type": typeOf(name),
          "cache-control": FOR_GOOD,
          "x-content-type-options": "nosniff"
        })
      })
    )
  })
)
