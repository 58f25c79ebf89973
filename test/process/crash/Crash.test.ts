import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref, Scope } from "effect"
import { type Answer, dataOf, makeClient } from "../../support/http/Api.ts"
import {
  duringWork,
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"

const KILLS = 3
const WORKERS = 12

/** Products that one worker creates, updates and partly deletes. */
const PRODUCTS = 6

/** Responses between a start and the next kill: enough that every kill interrupts writes in every phase. */
const RESPONSES_PER_START = 30

/** A request and its response. */
interface CompletedRequest {
  readonly token: string
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly key: string
  readonly body: unknown
  readonly answer: Answer
}

type WriteRequest = Omit<CompletedRequest, "answer">

const productsQuery = `
  select p.id, p.document::text as document, p.document ->> 'name' as name, p.version
  from products p where p.store_id = $1 order by p.id
`

it.live("concurrent writes to a server that is killed repeatedly are not lost, duplicated or partial", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const testScope = yield* Effect.scope
    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(testScope)
      const server = yield* Scope.provide(startServer({ DATABASE_URL: url }), scope)
      return { base: server.base, kill: Scope.close(scope, Exit.void) }
    })
    const first = yield* start
    const { storeId, tokens } = yield* createTokens(url, WORKERS)
    const base = yield* Ref.make(first.base)
    const answered = yield* Ref.make(0)

    /** Sends a request with the same key until it gets a response, as a client does during an outage. */
    const send = (request: WriteRequest): Effect.Effect<CompletedRequest> =>
      Effect.gen(function* () {
        const { body, key, method, path, token } = request
        const sent = body === undefined ? { key } : { key, body }
        const currentBase = yield* Ref.get(base)
        const exit = yield* Effect.exit(makeClient(currentBase, token).send(method, path, sent))
        if (Exit.isSuccess(exit) && exit.value.status < 300) {
          yield* Ref.update(answered, (n) => n + 1)
          return { ...request, answer: exit.value }
        }
        if (Exit.isSuccess(exit)) assert.strictEqual(exit.value.status, 503, exit.value.text)
        // Retrying before the next server is up would slow its start.
        else yield* waitUntil(Ref.get(base), (now) => now !== currentBase)
        return yield* send(request)
      })

    const work = (token: string, worker: number) =>
      Effect.forEach(
        Array.from({ length: PRODUCTS }, (_, n) => n),
        (n) =>
          Effect.gen(function* () {
            const body = { name: `Cup ${worker} ${n}`, price: n }
            const created = yield* send({ token, method: "POST", path: "/products", key: `make-${n}`, body })
            const path = `/products/${String(dataOf(created.answer)["id"])}`
            const changed = yield* send({ token, method: "PATCH", path, key: `change-${n}`, body: { stock: n + 1 } })
            if (n % 3 !== 0) return [created, changed]
            return [created, changed, yield* send({ token, method: "DELETE", path, key: `drop-${n}`, body: undefined })]
          })
      )
    const working = yield* Effect.forkChild(
      Effect.map(Effect.all(tokens.map(work), { concurrency: "unbounded" }), (completed) => completed.flat(2))
    )

    let server = first
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = yield* Ref.get(answered)
      yield* duringWork(
        working,
        waitUntil(Ref.get(answered), (n) => n >= before + RESPONSES_PER_START)
      )
      yield* server.kill
      yield* rowsOf(client, "update rate_windows set hits = '{}'")
      server = yield* start
      yield* Ref.set(base, server.base)
    }
    const completed = yield* Fiber.join(working)

    // Repeated requests replay every response byte for byte.
    yield* rowsOf(client, "update rate_windows set hits = '{}'")
    const repeated = yield* Effect.forEach(completed, send, { concurrency: 8 })
    for (const [index, { answer }] of repeated.entries()) {
      assert.strictEqual(answer.text, completed[index]?.answer.text)
      assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
    }
    yield* server.kill

    // Each product is stored once, as in its last response, or deleted if its deletion succeeded.
    const deletedPaths = new Set(completed.filter(({ method }) => method === "DELETE").map(({ path }) => path))
    const last = completed.filter(({ method, path }) => method === "PATCH" && !deletedPaths.has(path))
    const rows = yield* rowsOf(client, productsQuery, [storeId])
    assert.sameMembers(
      rows.map(({ document }) => `{"data":${String(document)}}`),
      last.map(({ answer }) => answer.text)
    )

    // Every write has one event and one complete idempotency record, and the product count is correct.
    const events = yield* rowsOf(client, "select resource_id || ' ' || resource_version as event from events")
    const written = completed.filter(({ method }) => method !== "DELETE").map(({ answer }) => dataOf(answer))
    assert.sameMembers(
      events.map(({ event }) => event),
      written.map(({ id, version }) => `${String(id)} ${String(version)}`)
    )
    const records = yield* rowsOf(client, "select outcome from idempotency_records")
    assert.sameMembers(
      records.map(({ outcome }) => String(outcome).slice(String(outcome).indexOf("\n") + 1)),
      completed.map(({ answer }) => answer.text)
    )
    const [store] = yield* rowsOf(client, "select product_count from stores where id = $1", [storeId])
    assert.strictEqual(store?.["product_count"], rows.length)
    assert.strictEqual(rows.length, WORKERS * (PRODUCTS - Math.ceil(PRODUCTS / 3)))
  })
)
