import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { createServer } from "node:net"
import { once } from "node:events"
import type { WebSocket } from "ws"
import type { ChangeStreamError } from "../../src/rpc/client/ChangeStream.ts"
import { memberOf } from "../support/rpc/Members.ts"
import { followerAt } from "../support/rpc/Follower.ts"
import type { Sizes } from "./options.ts"
import { startServer } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeFixture, writeContinuously } from "./fixture.ts"

/** Followed stores, with one follower each. */
const SHOPS = 4

/** Writes per second in all stores. */
const RATE = 40

const freePort = Effect.promise(async () => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return address === null || typeof address === "string" ? 0 : address.port
})

/** Cuts the connections of followers and kills their server repeatedly, during writes. */
export const followedChanges = (server: string, { "change-kills": kills, "change-cuts": cuts }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("changes followed")
    const fixture = yield* makeFixture(server, SHOPS, 1, () => "http://127.0.0.1:9")
    const { db, shops, url } = fixture
    const port = yield* freePort
    const outerScope = yield* Effect.scope
    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(outerScope)
      const base = yield* Scope.provide(startServer(url, port), scope)
      return { base, kill: Scope.close(scope, Exit.void) }
    })
    let running = yield* start
    const sockets = new Set<WebSocket>()
    const stores = shops.map(({ storeId }) => storeId)
    const cookie = yield* memberOf(url, stores)
    const follower = yield* followerAt(new URL(running.base).origin, cookie, (socket) => sockets.add(socket))
    const received = stores.map((): Array<string> => [])
    const following: Array<Fiber.Fiber<void, ChangeStreamError>> = []
    for (const [index, storeId] of stores.entries()) {
      const follow = Stream.runForEach(follower.changes({ storeId }), ({ id }) =>
        Effect.sync(() => received[index]?.push(id))
      )
      following.push(yield* Effect.forkScoped(follow))
    }

    let [cut, killed, isOver] = [0, 0, false]
    const count = () => received.reduce((sum, { length }) => sum + length, 0)
    /** Waits until each follower has received a change. */
    const waitForChanges = Effect.suspend(() => {
      const before = received.map(({ length }) => length)
      return Effect.repeat(Effect.sleep("50 millis"), {
        until: () => received.every(({ length }, index) => length > (before[index] ?? 0))
      })
    })
    const disrupt = Effect.gen(function* () {
      yield* waitForChanges
      if (killed * cuts < cut * kills) {
        yield* running.kill
        running = yield* start
        killed++
      } else {
        for (const socket of sockets) socket.terminate()
        sockets.clear()
        cut++
      }
    })
    const disrupting = Effect.andThen(
      Effect.repeat(disrupt, { until: () => cut >= cuts && killed >= kills }),
      Effect.andThen(
        waitForChanges,
        Effect.sync(() => (isOver = true))
      )
    )
    const progress = () => `cuts ${cut}/${cuts}, kills ${killed}/${kills}, changes received: ${count()}`
    yield* withProgress(
      progress,
      Effect.raceFirst(
        Effect.all([disrupting, writeContinuously(fixture, RATE, () => isOver)], { concurrency: "unbounded" }),
        Fiber.joinAll(following)
      )
    )
    let [missed, doubled, disordered] = [0, 0, 0]
    for (const [index, storeId] of stores.entries()) {
      const ids = received[index] ?? []
      const { rows } = yield* Effect.promise(() =>
        db.query<{ id: string }>(
          "select id from journal where store_id = $1 and version is not null and id >= $2 order by id",
          [storeId, ids[0]]
        )
      )
      yield* Effect.repeat(Effect.sleep("50 millis"), { until: () => ids.length >= rows.length, times: 200 })
      missed += rows.filter(({ id }) => !ids.includes(id)).length
      doubled += ids.length - new Set(ids).size
      disordered += ids.filter((id, n) => id !== rows[n]?.id).length
    }
    invariants.atLeast("connections cut, of each follower", cut, cuts)
    invariants.atLeast("kills of the server", killed, kills)
    invariants.none("changes missed", missed)
    invariants.none("changes received twice", doubled)
    invariants.none("changes received out of order, or of another store", disordered)
    invariants.fact("changes received", String(count()))
    return invariants.all
  }).pipe(Effect.scoped)
