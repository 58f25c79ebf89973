import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref, Scope } from "effect"
import { type Answer, dataOf, makeClient } from "../../support/http/Api.ts"
import { duringWork, enroll, ownDatabase, rowsOf, startServer, watch } from "../../support/process/Process.ts"

const KILLS = 10
const WORKERS = 12

/** Products that one worker makes, changes and partly deletes. */
const PRODUCTS = 14

/** Answers between a start and the kill that follows: enough that every kill meets writes in every phase. */
const ANSWERS_A_LIFE = 30

/** What one request ended in, once it had an answer. */
interface Done {
  readonly token: string
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly key: string
  readonly body: unknown
  readonly answer: Answer
}

type Asked = Omit<Done, "answer">

const everything = `
  select p.id, p.document::text as document, p.document ->> 'name' as name, p.version
  from products p where p.store_id = $1 order by p.id
`

it.live(
  "parallel writes to a server that is killed repeatedly are neither lost, duplicated nor partial",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const whole = yield* Effect.scope
      const start = Effect.gen(function* () {
        const scope = yield* Scope.fork(whole)
        const server = yield* Scope.provide(startServer({ DATABASE_URL: url }), scope)
        return { base: server.base, kill: Scope.close(scope, Exit.void) }
      })
      const first = yield* start
      const { storeId, tokens } = yield* enroll(url, WORKERS)
      const base = yield* Ref.make(first.base)
      const answered = yield* Ref.make(0)

      /** Asks with the same key until there is an answer, as a client does whose server went away. */
      const ask = (asked: Asked): Effect.Effect<Done> =>
        Effect.gen(function* () {
          const { body, key, method, path, token } = asked
          const sent = body === undefined ? { key } : { key, body }
          const asking = yield* Ref.get(base)
          const given = yield* Effect.exit(makeClient(asking, token).send(method, path, sent))
          if (Exit.isSuccess(given) && given.value.status < 300) {
            yield* Ref.update(answered, (n) => n + 1)
            return { ...asked, answer: given.value }
          }
          if (Exit.isSuccess(given)) assert.strictEqual(given.value.status, 503, given.value.text)
          // Who asked on all the while would take from the next server what it needs to start.
          else yield* watch(Ref.get(base), (now) => now !== asking)
          return yield* ask(asked)
        })

      const work = (token: string, worker: number) =>
        Effect.forEach(
          Array.from({ length: PRODUCTS }, (_, n) => n),
          (n) =>
            Effect.gen(function* () {
              const body = { name: `Cup ${worker} ${n}`, price: n }
              const made = yield* ask({ token, method: "POST", path: "/products", key: `make-${n}`, body })
              const path = `/products/${String(dataOf(made.answer)["id"])}`
              const changed = yield* ask({ token, method: "PATCH", path, key: `change-${n}`, body: { stock: n + 1 } })
              if (n % 3 !== 0) return [made, changed]
              return [made, changed, yield* ask({ token, method: "DELETE", path, key: `drop-${n}`, body: undefined })]
            })
        )
      const working = yield* Effect.forkChild(
        Effect.map(Effect.all(tokens.map(work), { concurrency: "unbounded" }), (done) => done.flat(2))
      )

      let server = first
      for (let kill = 1; kill <= KILLS; kill++) {
        const before = yield* Ref.get(answered)
        yield* duringWork(
          working,
          watch(Ref.get(answered), (n) => n >= before + ANSWERS_A_LIFE)
        )
        yield* server.kill
        yield* rowsOf(client, "update rate_windows set hits = '{}'")
        server = yield* start
        yield* Ref.set(base, server.base)
      }
      const done = yield* Fiber.join(working)

      // Every answer that a client got is what the record replays, byte for byte.
      yield* rowsOf(client, "update rate_windows set hits = '{}'")
      const again = yield* Effect.forEach(done, ask, { concurrency: 8 })
      for (const [index, { answer }] of again.entries()) {
        assert.strictEqual(answer.text, done[index]?.answer.text)
        assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
      }
      yield* server.kill

      // Each product is there once, as its last answer showed it, or gone when its deletion was answered.
      const dropped = new Set(done.filter(({ method }) => method === "DELETE").map(({ path }) => path))
      const last = done.filter(({ method, path }) => method === "PATCH" && !dropped.has(path))
      const rows = yield* rowsOf(client, everything, [storeId])
      assert.sameMembers(
        rows.map(({ document }) => `{"data":${String(document)}}`),
        last.map(({ answer }) => answer.text)
      )

      // Every write has its one event and its one whole record, and the store has counted right.
      const events = yield* rowsOf(client, "select resource_id || ' ' || resource_version as event from events")
      const written = done.filter(({ method }) => method !== "DELETE").map(({ answer }) => dataOf(answer))
      assert.sameMembers(
        events.map(({ event }) => event),
        written.map(({ id, version }) => `${String(id)} ${String(version)}`)
      )
      const records = yield* rowsOf(client, "select body from idempotency_records")
      assert.sameMembers(
        records.map(({ body }) => body),
        done.map(({ answer }) => answer.text)
      )
      const [store] = yield* rowsOf(client, "select product_count from stores where id = $1", [storeId])
      assert.strictEqual(store?.["product_count"], rows.length)
      assert.strictEqual(rows.length, WORKERS * (PRODUCTS - Math.ceil(PRODUCTS / 3)))
    }),
  90_000
)
