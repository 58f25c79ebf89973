import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { bundled, compiled, consumer } from "../../support/process/Consumer.ts"

/** A consumer of the package that has its peer dependency installed. */
const dashboard = consumer("effect")

const CALL = `
import { Effect } from "effect"
import { IdempotencyKey, makeClient, performed, StoreId } from "partner-api/rpc"

export const create = (storeId: string, key: string) =>
  Effect.gen(function* () {
    const client = yield* makeClient({ url: "/rpc", timeout: "10 seconds" })
    const product = yield* client.products.create({
      storeId: StoreId.make(storeId),
      idempotencyKey: IdempotencyKey.make(key),
      product: { name: "Lantern", price: 24.5 }
    }).pipe(performed)
    const version: number = product.version
    return [version, product.name.length]
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SlugTaken", ({ slug }) => Effect.succeed([slug.length])),
    Effect.catchTag("NotSignedIn", ({ message }) => Effect.fail(message))
  )
`

it.live("the types of the client package cover procedures, results and errors", () =>
  Effect.gen(function* () {
    const wrong = "// @ts-expect-error Nobody sells that.\nvoid create(1, 2)\n"
    const diagnostics = yield* compiled(yield* dashboard, CALL + wrong, { lib: "es2023", skipLibCheck: true })
    assert.strictEqual(diagnostics, "")
  })
)

it.live("a browser bundle of the client has no server code and is below 140 KiB gzipped", () =>
  Effect.gen(function* () {
    const { kibibytes, metafile } = yield* bundled(yield* dashboard, CALL)
    const [{ inputs = {} } = {}] = Object.values(metafile.outputs)
    const modules = Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([input]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? basename(input))
    assert.sameMembers([...new Set(modules)], ["consumer.ts", "rpc.js", "effect"])
    const source = readFileSync("dist/sdk/rpc.js", "utf8")
    assert.notMatch(source, /\bselect\b.+\bfrom\b|insert into|["']node:|argon2|Idempotency\.once/)
    yield* Effect.log(`The client and its dependencies: ${Math.round(kibibytes)} KiB gzipped`)
    assert.isBelow(kibibytes, 140)
  })
)
