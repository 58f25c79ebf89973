import { Effect, Layer } from "effect"
import { Bulkhead, MAX_WAITING, StoreBusy } from "../domain/Bulkhead.ts"
import type { StoreId } from "../domain/Store.ts"
import { nextTurn } from "../domain/Turn.ts"
import { Database } from "./database/Postgres.ts"

/** The part of the connections that the operations of one store may hold at once. */
const SHARE = 0.3

/** The requests of a store that are here: those under way hold a turn, the others wait for one. */
interface Line {
  readonly turns: Effect.Semaphore
  /** What a heavy one needs besides. */
  readonly heavyTurns: Effect.Semaphore
  length: number
}

export const BulkheadLive = Layer.effect(
  Bulkhead,
  Effect.map(Database, ({ connections }) => {
    const atOnce = Math.max(Math.min(2, connections), Math.floor(connections * SHARE))
    const lines = new Map<StoreId, Line>()

    const open = (): Line => ({
      turns: Effect.unsafeMakeSemaphore(atOnce),
      heavyTurns: Effect.unsafeMakeSemaphore(Math.max(1, atOnce - 1)),
      length: 0
    })

    const enter = (store: StoreId) =>
      Effect.suspend(() => {
        const line = lines.get(store) ?? open()
        if (line.length === atOnce + MAX_WAITING) return new StoreBusy()
        line.length++
        lines.set(store, line)
        return Effect.succeed(line)
      })

    const leave = (store: StoreId, line: Line) =>
      Effect.sync(() => {
        if (--line.length === 0) lines.delete(store)
      })

    return Bulkhead.of({
      inTurn: (store, weight, operation) =>
        Effect.acquireUseRelease(
          enter(store),
          ({ heavyTurns, length, turns }) => {
            // Else what waited in one line goes on in one turn, body after body (docs/performance.md, One store and the others).
            const mayHaveWaited = length > atOnce || weight === "heavy"
            const inLine = turns.withPermits(1)(mayHaveWaited ? Effect.zipRight(nextTurn, operation) : operation)
            return weight === "heavy" ? heavyTurns.withPermits(1)(inLine) : inLine
          },
          (line) => leave(store, line)
        )
    })
  })
)
