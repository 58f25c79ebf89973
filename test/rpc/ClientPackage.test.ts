import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { built, folder } from "../support/Process.ts"

/** A dashboard's: with the package, and the packages that it is used with, among its dependencies. */
const consumer = Effect.gen(function* () {
  yield* built
  const path = yield* folder
  mkdirSync(join(path, "node_modules/@effect"), { recursive: true })
  const installed = ["effect", "@effect/rpc", "@effect/platform", "currency-codes"]
  for (const name of installed) symlinkSync(join(process.cwd(), "node_modules", name), join(path, "node_modules", name))
  symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
  writeFileSync(join(path, "package.json"), '{ "type": "module" }')
  return path
})

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

const SETTINGS = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    types: [],
    module: "nodenext"
  },
  files: ["consumer.ts"]
}

it.scopedLive("the package's types know of every procedure, its answer and its errors", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    const wrong = "// @ts-expect-error Nobody sells that.\nvoid create(1, 2)\n"
    writeFileSync(join(path, "consumer.ts"), CALL + wrong)
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify(SETTINGS))
    const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc")
    const said = yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, [tsc, "-p", path]).then(
        () => "",
        (error: unknown) => JSON.stringify(error)
      )
    )
    assert.strictEqual(said, "")
  })
)

it.scopedLive("a bundle for browsers holds no code of the service, and no more than it needs", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "consumer.ts"), CALL)
    const { metafile, outputFiles } = yield* Effect.promise(() =>
      build({
        absWorkingDir: path,
        entryPoints: ["consumer.ts"],
        bundle: true,
        format: "esm",
        metafile: true,
        minify: true,
        // What only Node has cannot be resolved, and fails the build.
        platform: "browser",
        write: false
      })
    )
    const [bundle] = outputFiles
    const [{ inputs = {} } = {}] = Object.values(metafile.outputs)
    const parts = Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([input]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? basename(input))
    const libraries = ["@effect/platform", "@effect/rpc", "currency-codes", "effect", "first-match", "nub"]
    assert.sameMembers([...new Set(parts)], ["consumer.ts", "rpc.js", ...libraries])
    const own = readFileSync("dist/rpc.js", "utf8")
    assert.notMatch(own, /\bselect\b.+\bfrom\b|insert into|["']node:|argon2|Idempotency\.once/)
    const kibibytes = Math.round(gzipSync(bundle?.text ?? "").length / 1024)
    yield* Effect.log(`The client and what it needs: ${kibibytes} KiB gzipped`)
    assert.isBelow(kibibytes, 140)
  })
)
