import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import type { Answer, Client } from "../../support/http/Api.ts"
import { ApiTest, dataOf, freshClient, install, makeClient, pageOf } from "../../support/http/Api.ts"
import { startSecondServer, waitUntil } from "../../support/process/Process.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

const idOf = (answer: Answer) => String(dataOf(answer)["id"])

/** Creates a store with `n` installations whose clients alternate between two servers. */
const createClients = Effect.fn(function* (n: number, plan?: string) {
  const { client, storeId } = yield* freshClient(plan === undefined ? {} : { plan })
  const second = yield* startSecondServer
  const others = yield* Effect.forEach(times(n - 1), (index) =>
    Effect.map(install(storeId), ({ client }) => (index % 2 === 0 ? makeClient(second, client.token) : client))
  )
  return { storeId, client, clients: [client, ...others] }
})

/** Sends `n` concurrent requests, distributed evenly over the clients. */
const race = <A>(clients: ReadonlyArray<Client>, n: number, run: (client: Client, index: number) => Effect.Effect<A>) =>
  Effect.forEach(
    times(n),
    (index) =>
      Effect.flatMap(Effect.orDie(Effect.fromNullishOr(clients[index % clients.length])), (c) => run(c, index)),
    { concurrency: "unbounded" }
  )

const countOf = (answers: ReadonlyArray<Answer>, status: number) =>
  answers.filter((answer) => answer.status === status).length

const cheaperThan = (value: number) => [{ field: "price", relation: "less_than", value }]

const assertStatuses = (answers: ReadonlyArray<Answer>, ...allowed: ReadonlyArray<number>) =>
  assert.deepStrictEqual(
    answers.filter(({ status }) => !allowed.includes(status)).map(({ status, text }) => ({ status, text })),
    []
  )

/** Returns the number of product rows of a store, its stored product count and its number of events. */
const counts = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`
      select
        (select count(*)::int from products where store_id = ${storeId}) as products,
        (select product_count from stores where id = ${storeId}) as counted,
        (select count(*)::int from events where store_id = ${storeId}) as events
    `
    return row
  })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Concurrent requests", (it) => {
  it.effect("concurrent creates fill the product limit of the plan exactly", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('seven', 7)`)
      const { clients, storeId } = yield* createClients(4, "seven")
      const answers = yield* race(clients, 60, (client, index) => client.post("/products", { name: `Cup ${index}` }))
      assertStatuses(answers, 201, 403)
      assert.strictEqual(countOf(answers, 201), 7)
      assert.deepStrictEqual(yield* counts(storeId), { products: 7, counted: 7, events: 7 })
    })
  )

  it.effect("concurrent creates and deletes neither exceed the product limit nor lose capacity", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('ten', 10)`)
      const { client, clients, storeId } = yield* createClients(3, "ten")
      const first = yield* race(clients, 10, (client) => client.post("/products", { name: "Cup" }))
      const answers = yield* race(clients, 60, (client, index) => {
        const target = first[index]
        return target === undefined
          ? client.post("/products", { name: "Mug" })
          : client.delete(`/products/${idOf(target)}`)
      })
      assertStatuses(answers, 200, 201, 403)
      const created = countOf(answers, 201)
      assert.strictEqual(countOf(answers, 200), 10)
      assert.deepStrictEqual(yield* counts(storeId), { products: created, counted: created, events: 10 + created })
      const rest = yield* race(clients, 12, (client) => client.post("/products", { name: "Jug" }))
      assert.strictEqual(countOf(rest, 201), 10 - created)
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 10)
    })
  )

  for (const [path, field] of [
    ["/products", "name"],
    ["/collections", "title"]
  ] as const) {
    it.effect(`concurrent POST ${path} with the same ${field} get consecutively numbered slugs`, () =>
      Effect.gen(function* () {
        const { clients } = yield* createClients(3)
        const answers = yield* race(clients, 40, (client) => client.post(path, { [field]: "Blue Cup" }))
        assertStatuses(answers, 201)
        const slugs = answers.map((answer) => String(dataOf(answer)["slug"]))
        const expected = times(40).map((n) => (n === 0 ? "blue-cup" : `blue-cup-${n + 1}`))
        assert.sameMembers(slugs, expected)
      })
    )

    it.effect(`following the cursor of GET ${path} during concurrent creates misses no item`, () =>
      Effect.gen(function* () {
        const { clients, storeId } = yield* createClients(4)
        const sql = yield* SqlClient.SqlClient
        const reader = (yield* install(storeId)).client
        const creating = yield* Effect.forkChild(
          race(clients, 20, (client, worker) =>
            Effect.forEach(times(15), (n) => client.post(path, { [field]: `Item ${worker} ${n}` }))
          )
        )
        // Large pages keep the reader at the end, where it could miss a row that is committed late.
        const seen: Array<unknown> = []
        const readPage = Effect.gen(function* () {
          const isLast = creating.pollUnsafe() !== undefined
          const cursor = seen.length === 0 ? "" : `&cursor=${String(seen.at(-1))}`
          const { items } = pageOf(yield* reader.get(`${path}?limit=200${cursor}`))
          seen.push(...items.map(({ id }) => id))
          yield* sql`update rate_windows set hits = '{}'`
          return isLast
        })
        yield* waitUntil(readPage, Boolean)
        const created = (yield* Fiber.join(creating)).flat()
        assertStatuses(created, 201)
        assert.deepStrictEqual(seen, created.map(idOf).toSorted())
      })
    )
  }

  it.effect("concurrent patches of one product each increment the version and lose no field", () =>
    Effect.gen(function* () {
      const { client, clients, storeId } = yield* createClients(3)
      const path = `/products/${idOf(yield* client.post("/products", { name: "Cup" }))}`
      const fields = [
        { name: "Mug" },
        { price: 3 },
        { stock: 4 },
        { sku: "M-1" },
        { tags: ["a"] },
        { slug: "mug" },
        { barcode: "1" },
        { hsCode: "2" },
        { isActive: false },
        { description: "d" },
        { weight: 1.5 },
        { vendorName: "v" },
        { metafields: { a: 1 } },
        { costPrice: 1 },
        { productKind: "digital" },
        { seoTitle: "s" }
      ]
      const answers = yield* race(clients, fields.length, (client, index) => client.patch(path, fields[index]))
      assertStatuses(answers, 200)
      const versions = answers.map((answer) => Number(dataOf(answer)["version"])).toSorted((a, b) => a - b)
      assert.deepStrictEqual(
        versions,
        times(fields.length).map((n) => n + 2)
      )
      const [product] = pageOf(yield* client.get("/products")).items
      assert.deepInclude(product, Object.assign({}, ...fields))
      assert.deepInclude(yield* counts(storeId), { events: 1 + fields.length })
    })
  )

  it.effect("exactly one of several concurrent patches with the same If-Match version succeeds", () =>
    Effect.gen(function* () {
      const { client, clients } = yield* createClients(3)
      const path = `/products/${idOf(yield* client.post("/products", { name: "Cup", stock: 9 }))}`
      const headers = { "if-match": '"1"' }
      const answers = yield* race(clients, 20, (client, index) =>
        client.patch(path, { stock: 10 + index }, { headers })
      )
      assertStatuses(answers, 200, 412)
      assert.strictEqual(countOf(answers, 200), 1)
    })
  )

  it.effect("exactly one of several concurrent creates and patches with the same slug succeeds", () =>
    Effect.gen(function* () {
      const { client, clients } = yield* createClients(4)
      const paths = (yield* race(clients, 12, (one) => one.post("/products", { name: "Cup" }))).map(
        (created) => `/products/${idOf(created)}`
      )
      for (const slug of ["wanted", "wanted-too"]) {
        const answers = yield* race(clients, 24, (one, index) => {
          const path = paths[index]
          return path === undefined ? one.post("/products", { name: "Mug", slug }) : one.patch(path, { slug })
        })
        assertStatuses(answers, 200, 201, 422)
        const winners = answers.filter(({ status }) => status !== 422).map(idOf)
        const holders = pageOf(yield* client.get("/products")).items.filter((product) => product["slug"] === slug)
        assert.lengthOf(winners, 1)
        assert.deepStrictEqual(
          holders.map(({ id }) => id),
          winners
        )
      }
    })
  )

  it.effect("concurrent patches that exchange slugs have the result of a serial order", () =>
    Effect.gen(function* () {
      const { client, clients } = yield* createClients(2)
      for (const round of times(8)) {
        const [a, b] = [`a-${round}`, `b-${round}`]
        const one = `/products/${idOf(yield* client.post("/products", { name: "One", slug: a }))}`
        const two = `/products/${idOf(yield* client.post("/products", { name: "Two", slug: b }))}`
        const swapped = yield* race(clients, 2, (client, index) =>
          index === 0 ? client.patch(one, { slug: b }) : client.patch(two, { slug: a })
        )
        assert.deepStrictEqual(
          swapped.map(({ status }) => status),
          [422, 422]
        )
        const [first, second] = yield* race(clients, 2, (client, index) =>
          index === 0 ? client.patch(one, { slug: `c-${round}` }) : client.patch(two, { slug: a })
        )
        assert.strictEqual(first?.status, 200)
        assert.include([200, 422], second?.status)
      }
    })
  )

  it.effect("concurrent deletes and collection patches leave no deleted product in the collection", () =>
    Effect.gen(function* () {
      const { client, clients } = yield* createClients(4)
      for (const round of times(6)) {
        const ids = (yield* race(clients, 6, (client) => client.post("/products", { name: `Cup ${round}` }))).map(idOf)
        const rest = ids.slice(3)
        const shelf = `/collections/${idOf(yield* client.post("/collections", { title: "Shelf", productIds: ids }))}`
        const [deletions, fillings] = yield* Effect.all(
          [
            race(clients, 3, (client, index) => client.delete(`/products/${ids[index] ?? ""}`)),
            race(clients, 8, (client, index) => client.patch(shelf, { productIds: ids.slice(index % 4).toReversed() }))
          ],
          { concurrency: "unbounded" }
        )
        assertStatuses(deletions, 200)
        assertStatuses(fillings, 200, 422)
        assertStatuses(
          [fillings[3], fillings[7]].filter((answer) => answer !== undefined),
          200
        )
        const { productCount, productIds } = dataOf(yield* client.get(shelf))
        assert.sameMembers([...rest], [...new Set([...rest, ...(Array.isArray(productIds) ? productIds : [])])])
        assert.strictEqual(productCount, Array.isArray(productIds) ? productIds.length : undefined)
      }
    })
  )

  it.effect("a read during rule changes returns the products that match the returned rules", () =>
    Effect.gen(function* () {
      const { client, clients } = yield* createClients(4)
      const responses = yield* race(clients, 9, (client, index) =>
        client.post("/products", { name: `Cup ${index}`, price: index })
      )
      const cups = responses.map(dataOf).toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1))
      const shelf = `/collections/${idOf(yield* client.post("/collections", { title: "Cheap", rules: cheaperThan(0) }))}`
      const [, ...readers] = clients
      const [reads] = yield* Effect.all(
        [
          race(readers, 270, (reader, index) => reader.get(index % 2 === 0 ? "/collections" : shelf)),
          race([client], 90, (client, index) => client.patch(shelf, { rules: cheaperThan((index * 7) % 10) }))
        ],
        { concurrency: "unbounded" }
      )
      assertStatuses(reads, 200)
      const returned = reads.map((answer) =>
        answer.text.startsWith('{"data"') ? dataOf(answer) : (pageOf(answer).items[0] ?? {})
      )
      for (const { productIds, rules } of returned) {
        const [, limit] = /"less_than","value":(\d)/.exec(JSON.stringify(rules)) ?? []
        const expected = cups.filter(({ price }) => Number(price) < Number(limit)).map(({ id }) => id)
        assert.deepStrictEqual(productIds, expected)
      }
      assert.isAbove(new Set(returned.map(({ version }) => version)).size, 10)
    })
  )
})
