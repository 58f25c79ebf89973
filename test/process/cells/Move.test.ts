import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Ref } from "effect"
import { randomUUID } from "node:crypto"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { mover } from "../../support/cells/Mover.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { connection, createTokens, rowsOf, startServer, waitUntil } from "../../support/process/Process.ts"

/** Apps that share the requests, which are limited for each of them. */
const TOKENS = 20

const installation = Effect.gen(function* () {
  const databases = yield* cellDatabases(["c2"])
  const url = Redacted.value(databases.main)
  const [cell] = databases.cells
  const main = yield* connection(url)
  const other = yield* connection(Redacted.value(cell?.url ?? databases.main))
  const variables = { DATABASE_URL: url, ...databases.settings }
  const { base } = yield* startServer(variables)

  /** Creates a product, and repeats the request while the answer is 503: a write that had begun met the fence. */
  const create = (token: string | undefined, key: string) =>
    waitUntil(
      makeClient(base, token).send("POST", "/products", { key, body: { name: key, price: 1 } }),
      ({ status }) => status !== 503
    )
  return { create, main, other, url, variables }
})

const idsIn = (client: Parameters<typeof rowsOf>[0], store: string) =>
  Effect.map(rowsOf(client, "select id from products where store_id = $1 order by id", [store]), (rows) =>
    rows.map(({ id }) => String(id))
  )

it.live("a store moves while it is used, and no write is lost, repeated or refused", () =>
  Effect.gen(function* () {
    const { create, main, other, url, variables } = yield* installation
    const moved = yield* createTokens(url, TOKENS)
    const neighbour = yield* createTokens(url, TOKENS)
    const isDone = yield* Ref.make(false)

    /** Creates products one after the other until the move is done. */
    const write = Effect.fnUntraced(function* ({ tokens }: typeof moved) {
      const created: Array<{ readonly key: string; readonly id: string }> = []
      let slowest = 0
      for (let last = false; !last;) {
        last = yield* Ref.get(isDone)
        const key = randomUUID()
        const start = performance.now()
        const answer = yield* create(tokens[created.length % TOKENS], key)
        slowest = Math.max(slowest, performance.now() - start)
        assert.strictEqual(answer.status, 201, answer.text)
        created.push({ key, id: String(dataOf(answer)["id"]) })
        yield* Effect.sleep("20 millis")
      }
      return { created, slowest }
    })
    const writers = yield* Effect.forkChild(
      Effect.all([write(moved), write(moved), write(neighbour)], { concurrency: 3 })
    )
    const result = yield* mover(variables, moved.storeId).run("--cell", "c2", "--clean-after", "0", "--json")
    yield* Ref.set(isDone, true)
    assert.strictEqual(result.code, 0, result.stderr)
    const [first, second, others] = yield* Fiber.join(writers)

    const created = [...first.created, ...second.created]
    assert.deepStrictEqual(yield* idsIn(other, moved.storeId), created.map(({ id }) => id).toSorted())
    assert.deepStrictEqual(yield* idsIn(main, moved.storeId), [])
    assert.deepStrictEqual(yield* idsIn(main, neighbour.storeId), others.created.map(({ id }) => id).toSorted())
    // The ids of a writer rise: also those after the switch.
    for (const { created } of [first, second]) {
      assert.deepStrictEqual(
        created,
        created.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      )
    }
    const [oldest] = first.created
    const replayed = yield* create(moved.tokens[0], oldest?.key ?? "")
    assert.strictEqual(dataOf(replayed).id, oldest?.id)
    assert.isBelow(Math.max(first.slowest, second.slowest), 4000)
  })
)

it.live("a move that is killed in any state goes on or is undone", () =>
  Effect.gen(function* () {
    const { create: createIn, main, other, url, variables } = yield* installation
    // One installation may send 100 requests in 60 seconds.
    const { storeId, tokens } = yield* createTokens(url, TOKENS)
    let n = 0
    const create = Effect.gen(function* () {
      const place = n++
      const answer = yield* createIn(tokens[place % TOKENS], `product-${place}`)
      assert.strictEqual(answer.status, 201, answer.text)
    })
    yield* create

    const { killAt, run } = mover(variables, storeId)
    const kill = (cell: string, line: string) => killAt(line, "--cell", cell, "--clean-after", "9")
    const resume = (cell: string) =>
      Effect.gen(function* () {
        const writer = yield* Effect.forkChild(Effect.forever(Effect.delay(create, "200 millis")))
        // The server asks the old cell in this time, and learns that the store has moved.
        const { code, stderr } = yield* run("--cell", cell, "--clean-after", "3")
        yield* Fiber.interrupt(writer)
        // The interrupted request may have created its product.
        n--
        yield* create
        assert.strictEqual(code, 0, stderr)
      })

    yield* kill("c2", "copying: comparing")
    yield* create
    const aborted = yield* run("--abort")
    assert.strictEqual(aborted.code, 0, aborted.stderr)
    assert.deepStrictEqual(yield* idsIn(other, storeId), [])
    yield* create

    yield* kill("c2", "copying:")
    yield* create
    yield* resume("c2")
    assert.lengthOf(yield* idsIn(other, storeId), n)
    yield* create

    yield* kill("main", "frozen")
    yield* resume("main")
    assert.lengthOf(yield* idsIn(main, storeId), n)
    assert.lengthOf(yield* idsIn(other, storeId), 0)
    yield* create

    yield* kill("c2", "switched")
    yield* create
    yield* resume("c2")
    assert.lengthOf(yield* idsIn(other, storeId), n)
    assert.lengthOf(yield* idsIn(main, storeId), 0)
    yield* create
    for (const client of [main, other]) {
      const left = yield* rowsOf(
        client,
        `select tgname as name from pg_trigger where starts_with(tgname, 'store_move')
         union all select pubname from pg_publication where starts_with(pubname, 'store_move')
         union all select store_id::text from store_fences union all select table_name from store_changes`
      )
      assert.deepStrictEqual(left, [])
    }
  })
)
