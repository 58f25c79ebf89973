import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { createClient } from "../../../src/http/client/Client.ts"
import { makeMigratedDatabase, startServer, temporaryFolder } from "../../support/process/Process.ts"

const Demo = Schema.fromJsonString(Schema.Struct({ baseUrl: Schema.String, accessToken: Schema.String }))

const run = promisify(execFile)

it.live.skipIf(!isBuiltin("node:sqlite"))(
  "examples/mirror keeps a copy whose digests are those of the store, also after a restart",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const data = yield* temporaryFolder
      const { greeted } = yield* startServer({ DATABASE_URL: url, DATA_DIR: data, DEMO: "true" })
      yield* greeted
      const { accessToken, baseUrl } = Schema.decodeSync(Demo)(readFileSync(join(data, "demo.json"), "utf8"))
      const client = createClient({ url: baseUrl, tokens: accessToken })
      const path = yield* temporaryFolder
      cpSync("examples/mirror", path, { recursive: true, filter: (file) => !file.includes("node_modules") })
      mkdirSync(join(path, "node_modules"))
      symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
      const env = { PATH: process.env["PATH"] ?? "", ACCESS_TOKEN: accessToken, PLATFORM_URL: baseUrl, ONCE: "true" }
      const mirror = Effect.promise(() => run(process.execPath, ["mirror.mjs"], { cwd: path, env }))
      const proof = Effect.promise(async () => {
        const digests = await Promise.all(
          (["products", "collections"] as const).map(async (resource) => (await client.feed.getDigest(resource)).data)
        )
        return digests.map(({ count, digest, resource }) => `${resource}: ${count} rows, digest ${digest}\n`).join("")
      })
      assert.strictEqual((yield* mirror).stdout, yield* proof)
      const created = yield* Effect.promise(() => client.products.create({ name: "Cup" }))
      yield* Effect.promise(() => client.products.update(created.data.id, { price: 4 }))
      assert.strictEqual((yield* mirror).stdout, yield* proof)
    })
)
