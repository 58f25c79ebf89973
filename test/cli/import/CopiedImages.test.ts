import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { partnerApi } from "../../../src/cli/Program.ts"
import { importScene } from "../../support/data/Imports.ts"
import { pictureHost } from "../../support/media/PictureHost.ts"
import { runInProcess } from "../../support/process/Cli.ts"
import { rowsOf, temporaryFolder } from "../../support/process/Process.ts"
import { InternetHere } from "../../support/webhooks/Internet.ts"

const decodeOutput = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

it.live("--copy-images copies pictures to URLs below PUBLIC_URL, which it needs, and lists failed ones", () =>
  Effect.gen(function* () {
    const { client, fileOf, storeId, url } = yield* importScene()
    const host = yield* pictureHost
    const missing = `${host.url}/missing`
    const file = fileOf("products", [
      { externalId: "a", name: "A", imageUrl: `${host.url}/1.png` },
      { externalId: "b", name: "B", imageUrl: missing }
    ])
    const dataDir = yield* temporaryFolder
    const bring = (variables: Readonly<Record<string, string>>) =>
      runInProcess(partnerApi(["import", "products", "--store", storeId, "--file", file, "--copy-images", "--json"]), {
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        ...variables
      }).pipe(Effect.provide(InternetHere))
    const refused = yield* bring({})
    assert.notStrictEqual(refused.code, 0)
    assert.include(refused.stderr, "--copy-images needs PUBLIC_URL")
    assert.deepStrictEqual(yield* rowsOf(client, "select from products"), [])

    const { code, stderr, stdout } = yield* bring({ PUBLIC_URL: "https://shop.example.com" })
    assert.strictEqual(code, 0, stderr)
    const output = decodeOutput(stdout)
    assert.deepInclude(output, { created: 2, imagesCopied: 1, imagesFailed: 1 })
    assert.match(JSON.stringify(output["imageFailures"]), /missing: .*status 404/)
    const rows = yield* rowsOf(client, "select document ->> 'imageUrl' as url from products order by slug")
    assert.match(String(rows[0]?.["url"]), /^https:\/\/shop\.example\.com\/media\/[0-9a-f]{64}\/1\.png$/)
    assert.strictEqual(rows[1]?.["url"], missing)
  })
)
