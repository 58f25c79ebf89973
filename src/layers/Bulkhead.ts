import { Effect, Layer } from "effect"
import { Bulkhead, MAX_WAITING, StoreBusy, type Weight } from "../domain/Bulkhead.ts"
import type { StoreId } from "../domain/Store.ts"
import { nextTurn } from "../domain/Pacing.ts"
import { Database } from "./database/Postgres.ts"

/** The part of the connections that the operations of one store may hold at once. */
const SHARE = 0.3

/** A request in line. */
interface Place {
  readonly weight: Weight
  /** Whether its turn has come. */
  isUnderWay: boolean
  /** Lets it go on when its turn comes. */
  goOn: () => void
}

/** The requests of a store that are here: those under way hold a turn, the others wait for one. */
interface Line {
  underWay: number
  /** How many of those under way are heavy. */
  heavy: number
  /** First come, first served. */
  readonly waiting: Array<Place>
}

/** By counts and not by semaphores, which took 16 KB of garbage a request, a sixth of a read (docs/performance.md, Garbage). */
export const BulkheadLive = Layer.effect(
  Bulkhead,
  Effect.map(Database, ({ connections }) => {
    const atOnce = Math.max(Math.min(2, connections), Math.floor(connections * SHARE))
    const heavyAtOnce = Math.max(1, atOnce - 1)
    const lines = new Map<StoreId, Line>()

    const hasTurn = ({ heavy, underWay }: Line, { weight }: Place) =>
      underWay < atOnce && (weight === "usual" || heavy < heavyAtOnce)

    const begin = (line: Line, place: Place) => {
      place.isUnderWay = true
      line.underWay++
      if (place.weight === "heavy") line.heavy++
    }

    const enter = (line: Line, place: Place) => {
      if (hasTurn(line, place)) begin(line, place)
      else line.waiting.push(place)
    }

    const endWaiting = ({ waiting }: Line, place: Place) => waiting.splice(waiting.indexOf(place), 1)

    /** Gives the turn that it had to the first that may have it, or stops waiting for one. */
    const leave = (store: StoreId, line: Line, place: Place) => {
      if (place.isUnderWay) {
        line.underWay--
        if (place.weight === "heavy") line.heavy--
      } else endWaiting(line, place)
      const next = line.waiting.find((waiting) => hasTurn(line, waiting))
      if (next !== undefined) {
        endWaiting(line, next)
        begin(line, next)
        next.goOn()
      }
      if (line.underWay === 0) lines.delete(store)
    }

    return Bulkhead.of({
      inTurn: <A, E, R>(store: StoreId, weight: Weight, operation: Effect.Effect<A, E, R>) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<A, E | StoreBusy, R> => {
          const line = lines.get(store) ?? { underWay: 0, heavy: 0, waiting: [] }
          if (line.underWay + line.waiting.length === atOnce + MAX_WAITING) return new StoreBusy()
          lines.set(store, line)
          const place: Place = { weight, isUnderWay: false, goOn: () => {} }
          enter(line, place)
          const turn = Effect.callback<void>((resume) => {
            place.goOn = () => resume(Effect.void)
            if (place.isUnderWay) place.goOn()
          })
          // Else what waited in one line goes on in one turn, body after body (docs/performance.md, One store and the others).
          const unhurried = Effect.andThen(nextTurn, operation)
          const atOnceOrLater = weight === "heavy" ? unhurried : operation
          return Effect.ensuring(
            restore(place.isUnderWay ? atOnceOrLater : Effect.andThen(turn, unhurried)),
            Effect.sync(() => leave(store, line, place))
          )
        })
    })
  })
)
