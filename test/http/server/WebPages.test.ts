import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebFolder } from "../../../src/http/WebPages.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"

const HTML = "<!doctype html><title>Pages</title>"
const SCRIPT = `export const words = "${"calm ".repeat(500)}"`

const folder = mkdtempSync(join(tmpdir(), "partner-api-web-"))
writeFileSync(join(folder, "index.html"), HTML)
writeFileSync(join(folder, "index-B4DX_f-A.js"), SCRIPT)
writeFileSync(join(folder, "index-Ga7u.css"), "body {}")

const servedFrom = (path: string) => Layer.provide(ApiTest, Layer.succeed(WebFolder, path))

/** What comes for a path, as it stands on the line: a client of the platform's would tidy it up. */
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

describe("the pages of the browser", () => {
  layer(servedFrom(folder), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("are one page below /dashboard and /developers, which may do no more than it must, in no frame", () =>
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

    it.effect("are asked about each time, and sent again only when they are others", () =>
      Effect.gen(function* () {
        const { etag } = (yield* get("/dashboard")).headers
        const again = yield* get("/dashboard", { "if-none-match": String(etag) })
        assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
      })
    )

    it.effect("are made of files that browsers keep for good, compressed for who asks", () =>
      Effect.gen(function* () {
        const script = yield* get("/web/index-B4DX_f-A.js")
        assert.strictEqual(script.status, 200)
        assert.strictEqual(script.bytes.toString(), SCRIPT)
        assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
        assert.strictEqual(script.headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(script.headers["content-encoding"], undefined)
        const small = yield* get("/web/index-B4DX_f-A.js", { "accept-encoding": "gzip, br" })
        assert.strictEqual(small.headers["content-encoding"], "br")
        assert.isBelow(small.bytes.length, SCRIPT.length / 10)
        assert.strictEqual((yield* get("/web/index-Ga7u.css")).headers["content-type"], "text/css; charset=utf-8")
      })
    )

    it.effect("have no files but their own", () =>
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
    it.effect("that are not built say how to build them", () =>
      Effect.gen(function* () {
        const { bytes, status } = yield* get("/dashboard")
        assert.strictEqual(status, 503)
        assert.match(bytes.toString(), /npm run build/)
      })
    )
  })
})
