import { Config, DateTime, Effect, Option, Redacted, Schema } from "effect"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Actor } from "../../domain/Actor.ts"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateCollection } from "../../domain/catalog/Collection.ts"
import { CreateProduct, type ProductId } from "../../domain/catalog/Product.ts"
import { InstallationId, Scope } from "../../domain/Installation.ts"
import { Installations } from "../../domain/Installations.ts"
import { StoreId } from "../../domain/Store.ts"
import { dataDir, isEmbedded } from "../Database.ts"
import { count } from "../Rows.ts"
import { makeTransaction } from "../Transaction.ts"
import { collections, products } from "./catalog.ts"

/** Whether a store to try things with is wanted: always on the embedded database, else with `DEMO=true`. */
const wanted = Effect.flatMap(isEmbedded, (embedded) => Config.boolean("DEMO").pipe(Config.withDefault(embedded)))

const Known = Schema.parseJson(
  Schema.Struct({ storeId: Schema.typeSchema(StoreId), installationId: Schema.typeSchema(InstallationId) })
)
type Known = typeof Known.Type

const read = (file: string) =>
  Effect.option(
    Effect.flatMap(
      Effect.try(() => readFileSync(file, "utf8")),
      Schema.decode(Known)
    )
  )

/** Whole or not at all, and for nobody but its owner: it holds a token. */
const write = (file: string, facts: object) =>
  Effect.sync(() => {
    const half = `${file}.${process.pid}`
    writeFileSync(half, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
    chmodSync(half, 0o600)
    renameSync(half, file)
  })

const decodeProduct = Schema.decodeUnknown(CreateProduct)
const decodeCollection = Schema.decodeUnknown(CreateCollection)

/** A store on the plan `growth`, its catalog, and an app installed on it with every scope. All of it or nothing. */
const create = Effect.gen(function* () {
  const installations = yield* Installations
  const catalog = yield* Catalog
  const storeId = yield* installations.createStore({ name: "Demo store", plan: "growth", currencyCode: "EUR" })
  const appId = yield* installations.createApp({ name: "Demo app", scopes: Scope.literals })
  const { id } = yield* installations.install({ storeId, appId, scopes: Scope.literals })
  const merchant = Actor.Merchant({ storeId, userId: "demo" })
  const ids = new Map<string | undefined, ProductId>()
  for (const product of products) {
    const created = yield* catalog.createProduct(merchant, yield* decodeProduct(product))
    ids.set(product.slug, created.id)
  }
  for (const { slugs, ...collection } of collections) {
    const members = slugs === undefined ? {} : { productIds: slugs.map((slug) => ids.get(slug)) }
    yield* catalog.createCollection(merchant, yield* decodeCollection({ ...collection, ...members }))
  }
  return { storeId, installationId: id }
})

export interface DemoFacts {
  readonly baseUrl: string
  readonly accessToken: string
}

/**
 * The demo store, found again or made, with a fresh access token; none when no demo is wanted. What it is goes to
 * `demo.json` under `DATA_DIR`, which is also how the next start finds it.
 */
export const openDemo = Effect.fn("openDemo")(function* (baseUrl: string) {
  if (!(yield* wanted)) return Option.none<DemoFacts>()
  const sql = yield* PgClient.PgClient
  const installations = yield* Installations
  const folder = yield* dataDir
  yield* Effect.sync(() => mkdirSync(folder, { recursive: true }))
  const file = join(folder, "demo.json")

  const isThere = ({ installationId, storeId }: Known) =>
    Effect.map(
      count(sql`select 1 from installations where store_id = ${storeId} and id = ${installationId} and is_active`),
      (rows) => rows === 1
    )
  const before = yield* read(file)
  const known =
    Option.isSome(before) && (yield* isThere(before.value)) ? before.value : yield* makeTransaction(sql)(create)

  const { expiresAt, token } = yield* installations.issueToken({
    id: known.installationId,
    storeId: known.storeId,
    scopes: Scope.literals
  })
  const accessToken = Redacted.value(token)
  yield* write(file, { baseUrl, ...known, accessToken, accessTokenExpiresAt: DateTime.formatIso(expiresAt) })
  return Option.some<DemoFacts>({ baseUrl, accessToken })
}, Effect.orDie)
