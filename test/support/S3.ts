import { Deferred, Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request as send } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"

/** Starts a real S3 server, which checks signatures. Returns the settings of its bucket. */
export const startS3 = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "s3-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const server = new S3rver({ port: 0, silent: true, directory, configureBuckets: [{ name: "pictures" }] })
  const { port } = yield* Effect.acquireRelease(
    Effect.promise(() => server.run()),
    () => Effect.promise(() => server.close())
  )
  return {
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: "pictures",
    S3_ACCESS_KEY_ID: "S3RVER",
    S3_SECRET_ACCESS_KEY: "S3RVER"
  }
})

/** Starts a proxy that passes some uploads and never answers the next. It passes the signed `Host`. */
export const stoppingProxy = Effect.fn(function* (endpoint: string, uploads: number) {
  const stopped = yield* Deferred.make<void>()
  let seen = 0
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const proxy = createServer((request, response) => {
        if (request.method === "PUT" && ++seen > uploads) return void Deferred.doneUnsafe(stopped, Effect.void)
        const { headers, method = "GET", url = "/" } = request
        const passed = send(new URL(url, endpoint), { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
        })
        request.pipe(passed)
      })
      proxy.listen(0, "127.0.0.1", () => resume(Effect.succeed(proxy)))
    }),
    (proxy) =>
      Effect.sync(() => {
        proxy.closeAllConnections()
        proxy.close()
      })
  )
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  return { url, stopped: Deferred.await(stopped) }
})
