import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebFolder } from "../../../src/http/routes/WebPages.ts"
import { IsolatedApiTest, baseUrl } from "../../support/http/Api.ts"

const HTML = "<!doctype html><title>Pages</title>"
const SCRIPT = `export const words = "${"calm ".repeat(500)}"`

const folder = mkdtempSync(join(tmpdir(), "partner-api-web-"))
writeFileSync(join(folder, "index.html"), HTML)
writeFileSync(join(folder, "index-B4DX_f-A.js"), SCRIPT)
writeFileSync(join(folder, "index-Ga7u.css"), "body {}")

const servedFrom = (path: string) => Layer.provide(IsolatedApiTest, Layer.succeed(WebFolder, path))

/** Requests a path unchanged: `fetch` would normalize it. */
const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(
      () =>
        new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
          const { hostname, port } = new URL(base)
          request({ hostname, port, path, headers }, (response) => {
            const parts: Array<Buffer> = []
            response.on("data", (part: Buffer) => void parts.push(part))
            response.on("end", () =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) })
            )
          })
            .on("error", reject)
            .end()
        })
    )
  )

describe("Web pages", () => {
  layer(servedFrom(folder), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("all paths below /dashboard and /developers serve one page with a strict CSP and without framing", () =>
      Effect.gen(function* () {
        for (const path of ["/dashboard", "/dashboard/", "/dashboard/a/b?c=d", "/developers", "/developers/apps/x"]) {
          const { bytes, headers, status } = yield* get(path)
          assert.deepStrictEqual([status, bytes.toString()], [200, HTML], path)
          assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
          assert.strictEqual(headers["cache-control"], "no-cache")
          assert.strictEqual(headers["x-frame-options"], "DENY")
          assert.strictEqual(headers["x-content-type-options"], "nosniff")
          const policy = String(headers["content-security-policy"]).split("; ")
          assert.includeMembers(policy, [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'"
          ])
          assert.notInclude(policy.join(), "unsafe")
        }
      })
    )

    it.effect("/ leads a browser to the dashboard and stays unknown to other clients", () =>
      Effect.gen(function* () {
        const browser = yield* get("/", { accept: "text/html,*/*;q=0.8" })
        assert.deepStrictEqual([browser.status, browser.headers["location"]], [302, "/dashboard"])
        assert.strictEqual((yield* get("/", { accept: "application/json" })).status, 404)
        assert.strictEqual((yield* get("/")).status, 404)
      })
    )

    it.effect("the page gets 304 if its ETag is unchanged", () =>
      Effect.gen(function* () {
        const { etag } = (yield* get("/dashboard")).headers
        const revalidated = yield* get("/dashboard", { "if-none-match": String(etag) })
        assert.deepStrictEqual([revalidated.status, revalidated.bytes.length], [304, 0])
      })
    )

    it.effect("assets are cached for a year as immutable, and compressed if the client accepts it", () =>
      Effect.gen(function* () {
        const script = yield* get("/web/index-B4DX_f-A.js")
        assert.strictEqual(script.status, 200)
        assert.strictEqual(script.bytes.toString(), SCRIPT)
        assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
        assert.strictEqual(script.headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(script.headers["content-encoding"], undefined)
        const compressed = yield* get("/web/index-B4DX_f-A.js", { "accept-encoding": "gzip, br" })
        assert.strictEqual(compressed.headers["content-encoding"], "br")
        assert.isBelow(compressed.bytes.length, SCRIPT.length / 10)
        assert.strictEqual((yield* get("/web/index-Ga7u.css")).headers["content-type"], "text/css; charset=utf-8")
      })
    )

    it.effect("a path that is not a page or a built asset gets 404", () =>
      Effect.gen(function* () {
        const paths = ["/web/", "/web/index.html", "/web/other.js", "/web/constructor", "/web/..%2fpackage.json"]
        for (const path of [...paths, "/web/../package.json", "/web/%00", "/dashboards", "/web/a/b"]) {
          const { bytes, headers, status } = yield* get(path)
          assert.strictEqual(status, 404, path)
          assert.strictEqual(headers["content-type"], "application/json")
          assert.property(JSON.parse(bytes.toString()), "error")
        }
      })
    )
  })

  layer(servedFrom(join(folder, "nowhere")), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("pages that are not built get 503 with the build command", () =>
      Effect.gen(function* () {
        const { bytes, status } = yield* get("/dashboard")
        assert.strictEqual(status, 503)
        assert.match(bytes.toString(), /npm run build/)
      })
    )
  })
})
