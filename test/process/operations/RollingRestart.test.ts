import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { makeClient } from "../../support/http/Api.ts"
import {
  createTokens,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"
import { haproxy, type ServerPorts } from "../../support/process/Haproxy.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import { callLine, postTo } from "../../support/rpc/Rpc.ts"

const CLIENTS = 4

/** Longer than haproxy takes for two probes, a second apart. */
const DRAIN_SECONDS = "5"

it.live.skipIf(isMissing("haproxy"))(
  "no request fails while three servers behind haproxy restart one after the other",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const address = Effect.all({ port: freePort, management: freePort })
      const addresses = [yield* address, yield* address, yield* address]
      const testScope = yield* Effect.scope
      const start = Effect.fn(function* ({ management, port }: ServerPorts) {
        const scope = yield* Scope.fork(testScope)
        const server = yield* Scope.provide(
          startServer({
            DATABASE_URL: url,
            DRAIN_SECONDS,
            MANAGEMENT_PORT: String(management),
            PORT: String(port),
            TRUSTED_PROXIES: "127.0.0.1"
          }),
          scope
        )
        return { ...server, close: Scope.close(scope, Exit.void) }
      })
      const servers = yield* Effect.forEach(addresses, start, { concurrency: "unbounded" })
      const { storeId, tokens } = yield* createTokens(url, CLIENTS)
      const cookie = yield* memberOf(url, [storeId])

      const proxy = yield* haproxy(addresses)
      const { base } = proxy
      const isUp = Effect.promise(() =>
        fetch(`${base}/readyz`).then(
          async (response) => (await response.text()) !== "" && response.ok,
          () => false
        )
      )
      yield* proxy.during(waitUntil(isUp, Boolean))

      let isOver = false
      const counts = { ok: 0, failed: new Array<string>() }
      const count = <A extends { readonly status: number; readonly text: string }>(
        what: string,
        expected: number,
        request: Effect.Effect<A>
      ) =>
        Effect.map(Effect.exit(request), (exit) => {
          if (Exit.isSuccess(exit) && exit.value.status === expected) counts.ok += 1
          else
            counts.failed.push(
              `${what}: ${Exit.isSuccess(exit) ? `${exit.value.status} ${exit.value.text}` : String(exit.cause)}`
            )
        })
      const use = (token: string) => {
        const api = makeClient(base, token)
        return Effect.gen(function* () {
          yield* count("read", 200, api.get("/products?limit=5"))
          yield* count("write", 201, api.post("/products", { name: `Cup ${randomUUID()}` }))
          yield* count("call", 200, postTo(base, callLine("products.list", { storeId, limit: 5 }), { cookie }))
          yield* Effect.sleep("20 millis")
        }).pipe(Effect.repeat({ until: () => isOver }))
      }
      const using = yield* Effect.forkChild(Effect.forEach(tokens, use, { concurrency: "unbounded", discard: true }))
      yield* Effect.forkChild(
        Effect.forever(Effect.delay(rowsOf(client, "update rate_windows set hits = '{}'"), "200 millis"))
      )

      for (const [index, server] of servers.entries()) {
        const before = counts.ok
        server.kill("SIGTERM")
        const { code, stderr } = yield* server.ended
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
        yield* server.close
        const restarted = addresses[index]
        if (restarted !== undefined) yield* start(restarted)
        // Haproxy reports each change of a server.
        yield* waitUntil(
          Effect.sync(() => proxy.output.stderr),
          (log) => log.includes(`servers/server-${index + 1} is UP`)
        )
        assert.isAbove(counts.ok, before + 50)
      }
      isOver = true
      yield* Fiber.join(using)
      assert.deepStrictEqual(counts.failed, [])
    })
)
