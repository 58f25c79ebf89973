import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeStaticAsset, REVALIDATE, serveStaticAsset } from "./StaticAsset.ts"
import { NOT_FOUND } from "../Reply.ts"

/** The folder of the built pages of `src/web`, next to the script of the service. */
export const WebFolder = Context.Reference("http/WebFolder", {
  defaultValue: () => fileURLToPath(new URL("./web/", import.meta.url))
})

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** The name of the file holds a hash of its content, so the content never changes (RFC 8246). */
const IMMUTABLE = "public, max-age=31536000, immutable"

/** Sources that allow the inline elements of a page by the hashes of their content. */
const inlineSources = (html: string, element: RegExp) =>
  [...html.matchAll(element)].map(([, content = ""]) => ` 'sha256-${hash("sha256", content, "base64")}'`).join("")

/**
 * Restricts a page to scripts, styles and calls of this host, to its own inline elements, and to images of any host.
 */
const policyOf = (html: string) =>
  [
    "default-src 'none'",
    `script-src 'self'${inlineSources(html, /<script>(.*?)<\/script>/gs)}`,
    `style-src 'self'${inlineSources(html, /<style>(.*?)<\/style>/gs)}`,
    "connect-src 'self'",
    "img-src 'self' data: https: http:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const NOT_BUILT = "The pages are not built: run npm run build, then restart the service\n"

const readFiles = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.promise(() => readdir(folder).catch((): ReadonlyArray<string> => []))
  const files = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.flatMap(
        Effect.promise(() => readFile(join(folder, name))),
        makeStaticAsset
      ),
      (asset) => [name, asset] as const
    )
  )
  return new Map(files)
})

const contentTypeOf = (name: string) => CONTENT_TYPES[extname(name)] ?? "application/octet-stream"

const NOT_FOUND_RESPONSE = HttpServerResponse.text(NOT_FOUND.body, {
  status: NOT_FOUND.status,
  contentType: "application/json"
})

/**
 * Serves the dashboard and the developer portal: one page for every path under `/dashboard` and `/developers`, and its
 * files under `/web`. Files are read at the first request.
 */
export const WebRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const files = yield* Effect.cached(readFiles(yield* WebFolder))

    const page = Effect.gen(function* () {
      const asset = (yield* files).get("index.html")
      if (asset === undefined) return HttpServerResponse.text(NOT_BUILT, { status: 503 })
      return yield* serveStaticAsset(asset, {
        "x-frame-options": "DENY",
        "content-security-policy": policyOf((yield* asset.identity).toString()),
        "content-type": contentTypeOf("index.html"),
        "cache-control": REVALIDATE
      })
    })
    for (const path of ["/dashboard/*", "/developers/*"] as const) {
      yield* router.add("GET", path, page)
    }

    // A person who opens the address of the service wants the dashboard; clients of the API get what they got before.
    yield* router.add(
      "GET",
      "/",
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const isBrowser = headers["accept"]?.includes("text/html") === true
        const response = isBrowser ? HttpServerResponse.redirect("/dashboard") : NOT_FOUND_RESPONSE
        return HttpServerResponse.setHeader(response, "vary", "accept")
      })
    )

    yield* router.add(
      "GET",
      "/web/:name",
      Effect.gen(function* () {
        const { name = "" } = yield* HttpRouter.params
        const asset = (yield* files).get(name)
        if (asset === undefined || name === "index.html") return NOT_FOUND_RESPONSE
        return yield* serveStaticAsset(asset, {
          "content-type": contentTypeOf(name),
          "cache-control": IMMUTABLE
        })
      })
    )
  })
)
