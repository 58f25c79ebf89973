import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import {
  type Copy,
  createClient,
  type SyncBatch,
  type SyncResource,
  type SyncRow
} from "../../../src/http/client/Client.ts"
import { leastUuidOf } from "../../../src/domain/Uuid.ts"
import { ApiTest, baseUrl, type Client, dataOf, freshClient, install } from "../../support/http/Api.ts"

const RESOURCES = ["products", "collections"] as const

const keyOf = ({ id, resource }: { readonly resource: SyncResource; readonly id: string }) => `${resource} ${id}`

/** A copy in memory, as an app keeps it in a database. */
const makeCopy = () => {
  const rows = new Map<string, SyncRow>()
  let position: string | undefined
  return {
    rows,
    forget: (isForgotten: (row: SyncRow) => boolean) => {
      for (const [key, row] of rows) if (isForgotten(row)) rows.delete(key)
    },
    setPosition: (next: string) => void (position = next),
    position: () => position,
    storage: {
      load: async () => position,
      save: async (batch: SyncBatch) => {
        for (const row of batch.upserts) rows.set(keyOf(row), row)
        for (const row of batch.deletions) rows.delete(keyOf(row))
        position = batch.position
      },
      versions: async (resource) => [...rows.values()].filter((row) => row.resource === resource)
    } satisfies Copy
  }
}

/** Counts requests by path, so that a test can see which lists a sync reads. */
const countingFetch = (paths: Array<string>) => (url: string, init: RequestInit) => {
  paths.push(url.replace(/^.*\/v1/, ""))
  return fetch(url, init)
}

const makeSyncClient = (url: string, raw: Client, paths: Array<string> = []) =>
  createClient({ url, tokens: raw.token ?? "", fetch: countingFetch(paths) })

/** A document as JSON, without the products of a collection, which change without a new version. */
const textOf = (document: object) => {
  return JSON.stringify({ ...document, productIds: [], productCount: 0 })
}

/** Documents of a store as JSON, by id. */
const documentsOf = Effect.fn(function* (raw: Client) {
  const documents = new Map<string, string>()
  const client = createClient({ url: yield* baseUrl, tokens: raw.token ?? "" })
  for (const resource of RESOURCES) {
    yield* Effect.promise(async () => {
      for await (const row of client[resource].list({ limit: 200 })) documents.set(`${resource} ${row.id}`, textOf(row))
    })
  }
  return documents
})

const sortedMap = (map: ReadonlyMap<string, string>) => new Map([...map].toSorted())

const copied = (rows: ReadonlyMap<string, SyncRow>) =>
  sortedMap(new Map([...rows].map(([key, { document }]) => [key, textOf(document)] as const)))

const isWholeList = (path: string) => /^\/(?:products|collections)\?/.test(path) && !path.includes("range=")

const createProduct = (raw: Client, name: string) =>
  Effect.map(raw.post("/products", { name }), (answer) => String(dataOf(answer)["id"]))

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Copies of a catalog", (it) => {
  it.effect("three copies follow random writes: one restarts, one loses changes; none lists everything again", () =>
    Effect.gen(function* () {
      const { client: raw, storeId } = yield* freshClient()
      const url = yield* baseUrl
      const apps = yield* Effect.forEach([0, 1, 2], () => Effect.map(install(storeId), ({ client }) => client))
      const copies = apps.map(makeCopy)
      const paths: Array<string> = []
      const sync = (index: number) =>
        Effect.promise(() => {
          const [app, copy] = [apps[index], copies[index]]
          if (app === undefined || copy === undefined) return assert.fail("There are three apps")
          return makeSyncClient(url, app, paths).sync(copy.storage)
        })
      const ids: Array<string> = []
      for (let n = 0; n < 4; n++) ids.push(yield* createProduct(raw, `Cup ${n}`))
      yield* raw.post("/collections", { title: "Cups", productIds: ids.slice(0, 2) })
      for (const index of [0, 1, 2]) yield* sync(index)
      paths.length = 0

      const writes = FastCheck.sample(
        FastCheck.tuple(FastCheck.constantFrom("create", "update", "update", "delete"), FastCheck.nat()),
        { numRuns: 40, seed: 43 }
      )
      for (const [step, [kind, which]] of writes.entries()) {
        const id = ids[which % Math.max(ids.length, 1)]
        if (kind === "create" || id === undefined) ids.push(yield* createProduct(raw, `Mug ${step}`))
        else if (kind === "update") yield* raw.patch(`/products/${id}`, { price: step })
        else {
          yield* raw.delete(`/products/${id}`)
          ids.splice(ids.indexOf(id), 1)
        }
        // The first copy syncs often. The second one is restarted from its stored position.
        if (step % 10 === 5) yield* sync(0)
        if (step === 20) yield* sync(1)
      }
      // The third copy lost every second product and a deletion, and believes that it has read everything.
      const third = copies[2]
      let products = 0
      third?.forget(({ resource }) => resource === "products" && products++ % 2 === 0)
      third?.setPosition((yield* raw.get("/changes")).text.match(/"nextPosition":"([^"]+)"/)?.[1] ?? "")
      const proofs = yield* Effect.forEach([0, 1, 2], sync)

      const documents = sortedMap(yield* documentsOf(raw))
      for (const { rows } of copies) assert.deepStrictEqual(copied(rows), documents)
      assert.deepStrictEqual(proofs[1]?.digests, proofs[0]?.digests)
      assert.deepStrictEqual(proofs[2]?.digests, proofs[0]?.digests)
      assert.strictEqual(proofs[0]?.repaired, 0)
      assert.isAbove(proofs[2]?.repaired ?? 0, 0)
      assert.deepStrictEqual(paths.filter(isWholeList), [])
    })
  )

  it.effect("a copy whose position is too old is repaired by its digests", () =>
    Effect.gen(function* () {
      const { client: raw } = yield* freshClient()
      const url = yield* baseUrl
      const ids: Array<string> = []
      for (let n = 0; n < 3; n++) ids.push(yield* createProduct(raw, `Cup ${n}`))
      const copy = makeCopy()
      const paths: Array<string> = []
      const client = makeSyncClient(url, raw, paths)
      yield* Effect.promise(() => client.sync(copy.storage, { resources: ["products"] }))
      yield* raw.delete(`/products/${ids[0]}`)
      copy.setPosition(leastUuidOf(new Date(Date.now() - 401 * 24 * 3_600_000)))
      paths.length = 0
      const { repaired } = yield* Effect.promise(() => client.sync(copy.storage, { resources: ["products"] }))
      assert.strictEqual(repaired, 1)
      assert.deepStrictEqual([...copy.rows.keys()].toSorted(), [`products ${ids[1]}`, `products ${ids[2]}`].toSorted())
      assert.deepStrictEqual(paths.filter(isWholeList), [])
      assert.isTrue((copy.position() ?? "") > leastUuidOf(new Date(Date.now() - 60_000)))
    })
  )

  it.effect("changes iterates from a stored position, waits for the next change and ends with its signal", () =>
    Effect.gen(function* () {
      const { client: raw } = yield* freshClient()
      const client = createClient({ url: yield* baseUrl, tokens: raw.token ?? "" })
      yield* Effect.promise(async () => {
        const { nextPosition } = await client.feed.listChanges()
        const one = await client.products.create({ name: "Cup" })
        const two = await client.products.create({ name: "Mug" })
        const controller = new AbortController()
        const changes = client.changes({ after: nextPosition, signal: controller.signal })
        const first = await changes.next()
        assert.strictEqual(first.value.id, one.data.id)
        await changes.return?.(undefined as never)

        const resumed = client.changes({
          after: first.value.position,
          resources: ["products"],
          include: "document",
          signal: controller.signal
        })
        const second = await resumed.next()
        assert.deepStrictEqual(second.value.document, two.data)
        const waiting = resumed.next()
        const three = await client.products.create({ name: "Bowl" })
        assert.strictEqual((await waiting).value.id, three.data.id)
        const ended = resumed.next()
        controller.abort(new Error("Enough"))
        await ended.then(
          () => assert.fail("The signal was ignored"),
          (reason) => assert.strictEqual(reason.message, "Enough")
        )
        const old = client.changes({ after: leastUuidOf(new Date(0)) })
        await old.next().then(
          () => assert.fail("A position of 1970 was accepted"),
          (reason) => assert.include(reason, { _tag: "ApiError", status: 410 })
        )
      })
    })
  )
})
