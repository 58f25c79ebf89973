import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope, Stream } from "effect"
import type { Changed } from "../../../src/rpc/Client.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { createTokens, freePort, makeMigratedDatabase, rowsOf, startServer } from "../../support/process/Process.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import { followerAt } from "../../support/rpc/Follower.ts"

const KILLS = 3
const WORKERS = 4

it.live("a follower receives each change once and in order while its server is killed repeatedly", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const port = String(yield* freePort)
    const testScope = yield* Effect.scope
    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(testScope)
      const { base } = yield* Scope.provide(startServer({ DATABASE_URL: url, PORT: port }), scope)
      return { base, kill: Scope.close(scope, Exit.void) }
    })
    let server = yield* start
    const { base } = server
    const { storeId, tokens } = yield* createTokens(url, WORKERS)
    const cookie = yield* memberOf(url, [storeId])

    const received = yield* Queue.unbounded<Changed>()
    const { changes } = yield* followerAt(base, cookie)
    yield* Effect.forkScoped(Stream.runForEach(changes({ storeId }), (change) => Queue.offer(received, change)))

    /** Writes until `isOver`. Does not retry requests that a kill interrupts. */
    let isOver = false
    const write = (token: string) =>
      Effect.gen(function* () {
        const api = makeClient(base, token)
        const created = yield* Effect.exit(Effect.suspend(() => api.post("/products", { name: "Cup" })))
        if (Exit.isSuccess(created) && created.value.status === 201) {
          const path = `/products/${String(dataOf(created.value)["id"])}`
          yield* Effect.exit(Effect.suspend(() => api.patch(path, { price: 3 })))
        }
        yield* Effect.sleep("20 millis")
      }).pipe(Effect.repeat({ until: () => isOver }))
    const writing = yield* Effect.forkChild(Effect.forEach(tokens, write, { concurrency: "unbounded" }))
    const receivedMoreThan = (size: number) =>
      Effect.repeat(
        Effect.andThen(
          rowsOf(client, "update rate_windows set hits = '{}'"),
          Effect.delay(Queue.size(received), "50 millis")
        ),
        { until: (now) => now > size + 10 }
      )
    for (let kill = 0; kill < KILLS; kill++) {
      yield* receivedMoreThan(Math.max(0, yield* Queue.size(received)))
      yield* server.kill
      server = yield* start
    }
    yield* receivedMoreThan(yield* Queue.size(received))
    isOver = true
    yield* Fiber.join(writing)

    // The stream starts at some early change and misses none after it.
    const [first] = yield* Queue.takeN(received, 1)
    const rows = yield* rowsOf(
      client,
      "select id from journal where store_id = $1 and version is not null and id > $2 order by id",
      [storeId, first?.id]
    )
    const others = yield* Queue.takeN(received, rows.length)
    assert.deepStrictEqual(
      others.map(({ id }) => String(id)),
      rows.map(({ id }) => String(id))
    )
    assert.strictEqual(yield* Queue.size(received), 0)
  })
)
