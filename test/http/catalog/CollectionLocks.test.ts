import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type pg from "pg"
import {
  type Answer,
  ApiTest,
  assertUnavailable,
  type Client,
  dataOf,
  freshClient,
  install,
  makeClient
} from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  startSecondServer,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

const idOf = (answer: Answer) => String(dataOf(answer)["id"])

const make = (client: Client, path: string, body: unknown) =>
  Effect.map(client.post(path, body), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return idOf(answer)
  })

/** Waits until `n` sessions wait for a lock on `product_keys`. */
const waitForLockQueue = (watcher: pg.Client, n: number) =>
  waitUntil(
    rowsOf(watcher, "select pid from pg_locks where not granted and relation = 'product_keys'::regclass"),
    (rows) => rows.length === n
  )

const itemAt = <A>(list: ReadonlyArray<A>, n: number): A | undefined => list[n % list.length]

const cheaperThan = (value: number) => [{ field: "price", relation: "less_than", value }]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Locks of collection writes", (it) => {
  it.effect("evaluating rules does not block other writes of the same store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      // Six servers, because each limits the concurrent operations of a store.
      const [first, second, third, fourth, fifth, sixth] = yield* Effect.forEach(times(6), () =>
        Effect.map(startSecondServer, (base) => makeClient(base, client.token))
      )
      assert(first && second && third && fourth && fifth && sixth)
      const cup = yield* make(client, "/products", { name: "Cup", price: 1 })
      const [one, two, three, four] = yield* Effect.forEach(times(4), () =>
        make(client, "/collections", { title: "Cheap", rules: cheaperThan(5) })
      )
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]

      // Price rules wait for this lock. A create of a product waits for it after it has acquired the store's lock.
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table product_keys in access exclusive mode")
      const evaluating = yield* Effect.forkScoped(
        Effect.all(
          [
            first.patch(`/collections/${one}`, { title: "Cheaper" }),
            second.patch(`/collections/${two}`, { rules: cheaperThan(6), slug: "cheapest" }),
            third.patch(`/collections/${three}`, { type: "manual" }),
            fourth.patch(`/collections/${four}`, { title: "Cheap" }),
            fifth.post("/collections", { title: "Cheap too", rules: cheaperThan(7) })
          ],
          { concurrency: "unbounded" }
        )
      )
      yield* waitForLockWaits(watcher, 5)
      yield* make(sixth, "/collections", { title: "By hand", productIds: [cup] })
      const created = yield* Effect.forkScoped(client.post("/products", { name: "Mug", price: 2 }))
      yield* waitForLockWaits(watcher, 6)
      const ungrantedLocks = yield* rowsOf(
        watcher,
        `select locktype, relation::regclass::text from pg_locks join pg_stat_activity using (pid)
         where not granted and datname = current_database()`
      )
      assert.deepStrictEqual(
        ungrantedLocks,
        times(6).map(() => ({ locktype: "relation", relation: "product_keys" }))
      )
      yield* rowsOf(holder, "commit")

      const mug = yield* Fiber.join(created)
      assert.strictEqual(mug.status, 201, mug.text)
      const answers = yield* Fiber.join(evaluating)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 201]
      )
      // The mug is created concurrently, so it may be missing. The cup is always included.
      for (const answer of answers) {
        const { productCount, productIds } = dataOf(answer)
        assert.include([[cup].join(), [cup, idOf(mug)].join()], String(productIds))
        assert.strictEqual(productCount, String(productIds).split(",").length)
      }
      assert.strictEqual(dataOf(yield* client.get(`/collections/${three}`))["type"], "manual")
    })
  )

  it.effect("a read fails with 503 after 20 attempts if the rules keep changing", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* make(client, "/products", { name: "Cup", price: 1 })
      const id = yield* make(client, "/collections", { title: "Cheap", rules: cheaperThan(5) })
      const url = yield* databaseUrl
      const [watcher, ...holders] = yield* Effect.all([connection(url), connection(url), connection(url)])
      const lock = (holder: (typeof holders)[number]) =>
        rowsOf(holder, "lock table product_keys in access exclusive mode")
      for (const path of [`/collections/${id}`, "/collections"]) {
        for (const holder of holders) yield* rowsOf(holder, "begin")
        yield* lock(holders[0])
        const reading = yield* Effect.forkScoped(client.get(path))
        let changes = 0
        const change = Effect.gen(function* () {
          // The read has loaded the rules and waits to evaluate them.
          yield* waitForLockWaits(watcher, 1)
          const [one, other] = changes % 2 === 0 ? holders : holders.toReversed()
          assert(one && other)
          changes += 1
          yield* rowsOf(
            watcher,
            `update collections set document = jsonb_set(document::jsonb, '{version}', to_jsonb(version + 1))::json
             where id = $1`,
            [id]
          )
          // The other connection acquires the lock when this attempt ends, and blocks the next attempt.
          const next = yield* Effect.forkScoped(lock(other))
          yield* waitForLockQueue(watcher, 2)
          yield* rowsOf(one, "commit")
          yield* Fiber.join(next)
          yield* rowsOf(one, "begin")
        })
        yield* Effect.raceFirst(Fiber.await(reading), Effect.forever(change))
        // An attempt waits twice if its connection has to prepare the statement.
        assert.isAtLeast(changes, 20)
        for (const holder of holders) yield* rowsOf(holder, "rollback")
        assertUnavailable(yield* Fiber.join(reading))
      }
      assert.strictEqual((yield* client.get(`/collections/${id}`)).status, 200)
    })
  )

  it.effect("concurrent writes of products and collections do not deadlock", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const second = yield* startSecondServer
      const others = yield* Effect.forEach(times(7), (index) =>
        Effect.map(install(storeId), ({ client }) => (index % 2 === 0 ? makeClient(second, client.token) : client))
      )
      const clients = [client, ...others]
      const products = yield* Effect.forEach(times(24), (n) =>
        make(client, "/products", { name: `Cup ${n}`, price: n })
      )
      const shelves = yield* Effect.forEach(times(5), (n) =>
        make(client, "/collections", { title: `Shelf ${n}`, productIds: products.slice(n) })
      )
      const requests: ReadonlyArray<(sender: Client, n: number) => Effect.Effect<Answer>> = [
        (sender, n) =>
          sender.patch(`/collections/${itemAt(shelves, n)}`, { productIds: products.slice(n % 7, 9 + (n % 15)) }),
        (sender, n) =>
          sender.patch(`/collections/${itemAt(shelves, n)}`, { slug: `s-${n}`, productIds: products.slice(n % 20) }),
        (sender, n) =>
          sender.patch(`/collections/${itemAt(shelves, n)}`, { type: "automated", rules: cheaperThan(n % 24) }),
        (sender, n) => sender.patch(`/collections/${itemAt(shelves, n)}`, { type: "manual", slug: `t-${n}` }),
        (sender, n) => sender.patch(`/products/${itemAt(products, n * 5)}`, { slug: `p-${n}`, price: n % 24 }),
        (sender, n) => sender.patch(`/products/${itemAt(products, n * 3)}`, { price: n % 24 }),
        (sender, n) => sender.post("/collections", { title: "Shelf", productIds: products.slice(n % 20).toReversed() }),
        (sender, n) => sender.post("/products", { name: `Mug ${n % 3}` }),
        (sender, n) => sender.delete(`/products/${n % 5 === 0 ? itemAt(products, n) : products[23]}`),
        (sender, n) => sender.delete(`/collections/${n % 19 === 0 ? itemAt(shelves, n) : shelves[4]}`)
      ]
      const answers = yield* Effect.forEach(
        times(480),
        (n) => {
          const [sender, request] = [
            itemAt(clients, n) ?? client,
            requests[Math.trunc(n / clients.length) % requests.length]
          ]
          return request === undefined ? Effect.die(new Error("There is no such request")) : request(sender, n)
        },
        { concurrency: 40 }
      )
      const failed = answers.filter(({ status }) => ![200, 201, 404, 422].includes(status))
      assert.deepStrictEqual(
        failed.map(({ status, text }) => ({ status, text })),
        []
      )
      assert.isAbove(answers.filter(({ status }) => status < 300).length, 100)
    })
  )
})
