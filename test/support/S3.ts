import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
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
