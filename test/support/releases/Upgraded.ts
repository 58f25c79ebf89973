import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Struct } from "effect"
import type pg from "pg"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CollectionDocument, ProductDocument } from "../../../src/domain/catalog/Documents.ts"
import { isObject } from "../../../src/domain/json/Json.ts"
import { CustomerDocument, OrderDocument } from "../../../src/domain/records/Documents.ts"
import { HashCost } from "../../../src/layers/access/Passwords.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { webhookWorker } from "../../../src/layers/webhooks/Worker.ts"
import { ServerLive } from "../../../src/Server.ts"
import { TemporaryData, TestSettings } from "../http/Api.ts"
import { Listening } from "../http/Installation.ts"
import { migrateTo } from "../postgres/Migrations.ts"
import { freshDatabase } from "../postgres/Postgres.ts"
import { connection, rowsOf } from "../process/Process.ts"
import { receiver, type Receiver } from "../webhooks/Receiver.ts"
import { type Facts, migrationsOf, restoreRelease } from "./Fixture.ts"

const DOCUMENTS = {
  products: ProductDocument,
  collections: CollectionDocument,
  orders: OrderDocument,
  customers: CustomerDocument
}
type Noun = keyof typeof DOCUMENTS

/** Value of the member `later`, which this release does not know. */
export const KEPT = "kept"

/** Names of the members of an object in a document, in the order of the schema. Computed members follow. */
const namesOf = (noun: Noun, container = "") =>
  DOCUMENTS[noun].members.flatMap((line) => {
    const [path = ""] = line.split("=", 1)
    const name = path.slice(container.length)
    return path.startsWith(container) && /^\w+$/.test(name) ? [name] : []
  })

/**
 * Asserts that a document has all members in the order of the schema, and after them those that the schema does not know.
 * Exports and tools add members before them.
 */
export const assertComplete = (noun: Noun, item: Readonly<Record<string, unknown>>) => {
  const names = namesOf(noun)
  const found = Object.keys(item)
  const start = found.indexOf("id")
  assert.deepStrictEqual(found.slice(start, start + names.length), names)
  if (noun !== "products") return
  const variants = Array.isArray(item["variants"]) ? item["variants"] : assert.fail("no variants")
  const known = namesOf(noun, "variants[].")
  for (const variant of variants) {
    const keys = Object.keys(Object(variant))
    assert.deepStrictEqual(
      keys.filter((key) => known.includes(key)),
      known.filter((key) => keys.includes(key))
    )
  }
}

/** Names of members with the default null. */
const nullsOf = (noun: Noun) =>
  DOCUMENTS[noun].members.flatMap((line) => {
    const [, name = ""] = /^(\w+)=null$/.exec(line) ?? []
    return name === "" ? [] : [name]
  })

/** Makes a document as other releases stored it: it lacks members, has others, and another order. */
const makeOld = (
  document: Record<string, unknown>,
  lost: ReadonlyArray<string>,
  later: Readonly<Record<string, string>> = {}
) => {
  assert.includeMembers(Object.keys(document), [...lost])
  assert.isNotEmpty(lost)
  const variants = Array.isArray(document["variants"]) ? document["variants"] : undefined
  const reorder = (value: object) => ({ ...later, ...Object.fromEntries(Object.entries(value).toReversed()) })
  return JSON.stringify({
    ...reorder(Struct.omit(document, lost)),
    ...(variants === undefined ? {} : { variants: variants.map((variant) => reorder(Object(variant))) })
  })
}

const parse = (text: string) => {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? { ...value } : assert.fail(text)
}

/** Makes one document of each kind old, and returns its id. */
const makeDocumentsOld = Effect.fnUntraced(function* (client: pg.Client, { storeId }: Facts) {
  const old: Record<Noun, string> = { products: "", collections: "", orders: "", customers: "" }
  for (const noun of ["products", "collections"] as const) {
    const [row] = yield* rowsOf(
      client,
      `select id, document::text from ${noun} where store_id = $1
       order by coalesce(json_array_length(document -> 'variants'), 0) desc, id limit 1`,
      [storeId]
    )
    old[noun] = String(row?.["id"])
    const document = makeOld(parse(String(row?.["document"])), nullsOf(noun), { later: KEPT })
    yield* rowsOf(client, `update ${noun} set document = $1, schema_hash = 0 where id = $2`, [document, old[noun]])
  }
  for (const noun of ["orders", "customers"] as const) {
    const [row] = yield* rowsOf(client, `select id, opening, personal from ${noun} where store_id = $1 limit 1`, [
      storeId
    ])
    old[noun] = String(row?.["id"])
    const [opening, personal] = [parse(`${String(row?.["opening"])}}`), parse(`{${String(row?.["personal"]).slice(1)}`)]
    const lostIn = (part: object) => nullsOf(noun).filter((name) => name in part)
    const texts = [
      makeOld(opening, lostIn(opening), { later: KEPT }).slice(0, -1),
      makeOld(personal, lostIn(personal).slice(0, 1)).replace("{", ",")
    ]
    yield* rowsOf(client, `update ${noun} set opening = $1, personal = $2, schema_hash = 0 where id = $3`, [
      ...texts,
      old[noun]
    ])
  }
  return old
})

/** Database of a release that this one upgraded, served with all workers. */
export class Upgraded extends Context.Service<
  Upgraded,
  {
    readonly facts: Facts
    readonly client: pg.Client
    readonly receiver: Receiver
    /** Ids of documents that other releases wrote. */
    readonly old: Readonly<Record<Noun, string>>
  }
>()("test/Upgraded") {}

/** Restores the database of a release, and starts this release on it. */
export const upgradedFrom = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-upgrade-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const url = yield* freshDatabase
      const database = postgres({ url, maxConnections: 2, withoutTimeouts: true })
      yield* Effect.provide(migrateTo(migrationsOf(version)), database)
      const client = yield* connection(Redacted.value(url))
      const facts = yield* restoreRelease(client, version, folder)
      const old = yield* makeDocumentsOld(client, facts)
      const endpoint = yield* receiver()
      yield* rowsOf(client, "update webhooks set url = $1 where app_id = $2", [endpoint.url, facts.webhook.appId])
      const work = Layer.mergeAll(webhookWorker(64), jobRunner(1))
      return Layer.mergeAll(work, Layer.succeed(Upgraded, { client, facts, old, receiver: endpoint })).pipe(
        Layer.provideMerge(ServerLive),
        Layer.provideMerge(Listening),
        Layer.provideMerge(Layer.provide(DomainLive, TemporaryData)),
        Layer.provideMerge(MigrationsLive),
        Layer.provideMerge(postgres({ url, maxConnections: 10 })),
        Layer.provide(Layer.succeed(HashCost, { memoryCost: 8, timeCost: 1, parallelism: 1 })),
        Layer.provide(Layer.succeed(TestSettings, { DATA_DIR: folder, SECRET_KEY: facts.secretKey }))
      )
    })
  )
