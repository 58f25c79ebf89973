import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { bundled, compiled, consumer, execute, settings } from "../../support/process/Consumer.ts"
import { buildOnce, temporaryFolder } from "../../support/process/Process.ts"
import { editor } from "../../support/process/Editor.ts"

const USE = `
import { ApiError, createClient, exchangeCode, generatePkce, type OAuthApp, type Product } from "partner-api/client"

const app: OAuthApp = { url: "https://platform.example", clientId: "an-app", redirectUri: "https://app.example/back" }

export const run = async (callback: string): Promise<number> => {
  const { verifier } = await generatePkce()
  let tokens = await exchangeCode(app, { callback, state: "the-state", verifier })
  const client = createClient({ url: app.url, tokens: { app, load: () => tokens, save: (next) => void (tokens = next) } })
  const created = await client.products.create({ name: "Lantern", price: 24.5, tags: ["outdoor"] })
  const { data, etag, isReplayed } = await client.products.update(created.data.id, { price: 20 }, { ifMatch: created.data.version })
  const { collections, events } = await client.products.delete(data.id, { dryRun: true })
  const products: Array<Product> = []
  for await (const product of client.products.list({ limit: 10 })) products.push(product)
  const { items, nextCursor } = await client.collections.list().page()
  const entry = await client.appData.get("settings", "theme").catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return error.issues.length
    throw error
  })
  return Number(data.price) + Number(isReplayed) + events.length + items.length + (collections?.entersCount ?? 0)
}
`

const INVALID_CALLS = `
declare const client: ReturnType<typeof createClient>

// @ts-expect-error The name is required.
void client.products.create({ price: 1 })
// @ts-expect-error A price must be a number.
void client.products.create({ name: "Lantern", price: "24.5" })
// @ts-expect-error Unknown fields are not allowed.
void client.products.create({ name: "Lantern", colour: "red" })
// @ts-expect-error The id is a separate argument.
void client.products.update({ name: "Lantern" })
// @ts-expect-error A new product has no version for If-Match.
void client.products.create({ name: "Lantern" }, { ifMatch: 3 })
// @ts-expect-error A single product cannot be read.
void client.products.get("an-id")
// @ts-expect-error The relation is unknown.
void client.collections.create({ title: "Oak", rules: [{ field: "tags", relation: "is", value: "oak" }] })
// @ts-expect-error A name cannot be cleared.
void client.products.update("an-id", { name: null })
// @ts-expect-error Only a dry run returns events.
void client.products.create({ name: "Lantern" }).then(({ events }) => events)
void client.products.create({ name: "Lantern" }).then(({ data }) => data.price.toFixed(2))
`

const EFFECT_USE = `
import { Effect, Stream } from "effect"
import { CollectionId, createEffectClient } from "partner-api/client/effect"

const client = createEffectClient({ url: "https://platform.example", tokens: "a-token" })

export const run: Effect.Effect<string, string> = Effect.gen(function* () {
  const { data } = yield* client.call((api) => api.Products.createProduct({ payload: { name: "Lantern", price: 0.1 } }))
  const { events } = yield* client.call(
    (api) => api.Products.updateProduct({ params: { id: data.id }, payload: { price: 1 } }),
    { dryRun: true, ifMatch: data.version }
  )
  const names = yield* client
    .stream((api, query) => api.Products.listProducts({ query }), ({ products }) => products)
    .pipe(Stream.map(({ name }) => name), Stream.runCollect)
  return \`\${events.length} \${names.length}\`
}).pipe(
  Effect.catchTag("ApiError", ({ issues }) => Effect.fail(issues.join())),
  Effect.catchTags({
    ConnectionError: ({ message }) => Effect.fail(message),
    OAuthError: ({ code }) => Effect.fail(code)
  })
)

// @ts-expect-error Effects are cancelled by interruption, not by a signal.
void client.call((api) => api.Store.getStore(), { signal: AbortSignal.timeout(1) })
// @ts-expect-error The name is required.
void client.call((api) => api.Products.createProduct({ payload: { price: 1 } }))
// @ts-expect-error A price must be a number.
void client.call((api) => api.Products.createProduct({ payload: { name: "Lantern", price: "24.5" } }))
// @ts-expect-error The id of a collection is not the id of a product.
void client.call(({ Products }) => Products.deleteProduct({ params: { id: CollectionId.make("an-id") } }))
// @ts-expect-error Only a dry run returns events.
void Effect.map(client.call((api) => api.Products.createProduct({ payload: { name: "Lantern" } })), ({ events }) => events)
`

it.live("the client's types check requests and responses and need no other package", () =>
  Effect.gen(function* () {
    const path = yield* consumer()
    assert.strictEqual(yield* compiled(path, USE + INVALID_CALLS), "")
  })
)

it.live("the Effect client's types need only Effect and include every error", () =>
  Effect.gen(function* () {
    const path = yield* consumer("effect")
    assert.strictEqual(yield* compiled(path, EFFECT_USE, { skipLibCheck: true }), "")
  })
)

it.live("an editor shows the signature, description and scope of a call on hover", () =>
  Effect.gen(function* () {
    const path = yield* consumer("effect")
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify(settings("use.ts")))
    writeFileSync(join(path, "use.ts"), USE)
    writeFileSync(join(path, "effects.ts"), EFFECT_USE)
    const { hover } = yield* editor(path)

    const create = yield* hover("use.ts", "client.products.create")
    const signature = "create(product: CreateProduct, options?: CreateOptions): Promise<Answer<Product>>"
    for (const words of [
      signature,
      "Create a product.",
      "Only `name` is required. Emits `catalog.product.updated.v1`.",
      "Needs the scope `write_products`."
    ]) {
      assert.include(create, words)
    }
    assert.include(yield* hover("use.ts", "client.products.delete"), "as a dry run")
    assert.include(
      yield* hover("use.ts", "client.products.list"),
      "list(query?: ListProductsQuery, options?: CallOptions): Listing<Product>"
    )
    assert.include(yield* hover("use.ts", "client.products"), "The products of a store.")
    const price = yield* hover("use.ts", "price")
    for (const words of ["price?: number", "Unit price in `currencyCode`", "249.5"]) assert.include(price, words)
    assert.include(yield* hover("use.ts", "isReplayed"), "stored by an earlier call")
    assert.include(yield* hover("use.ts", "await exchangeCode"), "a code is valid for 60 seconds")
    const effect = yield* hover("effects.ts", "client.call")
    assert.include(effect, "EffectClient.call")
    assert.include(effect, "Calls one operation and returns its body and headers.")
  })
)

it.live("a browser bundle contains only the client and is below 8 KiB gzipped", () =>
  Effect.gen(function* () {
    const path = yield* consumer()
    const { kibibytes, metafile } = yield* bundled(path, `${USE}\nconsole.log(await run(location.href))\n`)
    const inputs = Object.keys(metafile.inputs).map((input) => basename(input))
    for (const input of inputs) assert.match(input, /^consumer\.ts$|^client(?:-\w+)?\.js$/)
    const bundledText = inputs
      .filter((input) => input !== "consumer.ts")
      .map((input) => readFileSync(join("dist/sdk", input), "utf8"))
      .join("\n")
    assert.notMatch(
      bundledText,
      /\bselect\b.+\bfrom\b|insert into|["']node:|["']effect|argon2|\brequire\(|\bprocess\b|\bBuffer\b/
    )
    yield* Effect.log(`The client is ${kibibytes.toFixed(1)} KiB gzipped`)
    assert.isBelow(kibibytes, 8)
  })
)

const RUN = `
import { ApiError, ConnectionError, createClient } from "partner-api/client"
import { createEffectClient } from "partner-api/client/effect"
import { Effect } from "effect"

const options = { url: "http://127.0.0.1:1", tokens: "a-token", maxRetries: 0 }
const thrown = await createClient(options).store.get().catch((error) => error)
const failed = await Effect.runPromise(Effect.flip(createEffectClient(options).call((api) => api.Store.getStore())))
console.log(thrown instanceof ConnectionError, failed instanceof ConnectionError, failed._tag, thrown instanceof ApiError)
`

it.live("a bundle of the Effect client contains no server code and is below 132 KiB gzipped", () =>
  Effect.gen(function* () {
    const path = yield* consumer("effect")
    const { kibibytes, metafile } = yield* bundled(path, `${EFFECT_USE}\nconsole.log(await Effect.runPromise(run))\n`)
    const clientFiles = Object.keys(metafile.inputs).filter(
      (input) => /client[\w-]*\.js$/.test(input) && input.includes("dist")
    )
    assert.isNotEmpty(clientFiles)
    const text = clientFiles.map((input) => readFileSync(join("dist/sdk", basename(input)), "utf8")).join("\n")
    assert.notMatch(
      text,
      /\bselect\b.+\bfrom\b|insert into|["']node:|["']@effect|argon2|\brequire\(|\bprocess\.|\bBuffer\b/
    )
    yield* Effect.log(`The Effect client is ${kibibytes.toFixed(1)} KiB gzipped, with Effect`)
    // Each operation adds its definition.
    assert.isBelow(kibibytes, 132)
  })
)

it.live("both entry points run in Node.js and fail with the same error class", () =>
  Effect.gen(function* () {
    const path = yield* consumer("effect")
    writeFileSync(join(path, "run.js"), RUN)
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.js")]))
    assert.strictEqual(stdout, "true true ConnectionError false\n")
  })
)

const RUN_ALONE = `
import { createClient } from "partner-api/client"
import { verifyWebhook } from "partner-api/webhooks"
console.log(typeof createClient({ url: "http://127.0.0.1:1", tokens: "a-token" }).store.get, typeof verifyWebhook)
`

it.live("the package of the clients installs without another package, and only Effect is imported from outside", () =>
  Effect.gen(function* () {
    yield* buildOnce
    const path = yield* temporaryFolder
    yield* Effect.promise(() => execute("npm", ["pack", "./dist/sdk", "--pack-destination", path]))
    const [tarball = ""] = readdirSync(path)
    writeFileSync(join(path, "package.json"), '{ "type": "module" }')
    const options = ["--offline", "--no-audit", "--no-fund"]
    yield* Effect.promise(() => execute("npm", ["install", ...options, `./${tarball}`], { cwd: path }))
    assert.deepStrictEqual(
      readdirSync(join(path, "node_modules")).filter((name) => !name.startsWith(".")),
      ["partner-api"]
    )
    const installed = join(path, "node_modules/partner-api")
    const texts = readdirSync(installed)
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(installed, name), "utf8"))
    const imported = [...texts.join("\n").matchAll(/^(?:import|export)\b[^"]*"([^"]+)";$/gm)].map(([, from]) => from)
    assert.include(imported, "effect/Schema")
    for (const from of imported) assert.match(from ?? "", /^(?:effect(?:\/|$)|\.\/client-)/)
    writeFileSync(join(path, "run.js"), RUN_ALONE)
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.js")]))
    assert.strictEqual(stdout, "function function\n")
  })
)

it.live("the generated client matches the API definitions", () =>
  Effect.promise(() => execute(process.execPath, ["scripts/generate-client.mjs", "--check"]))
)
