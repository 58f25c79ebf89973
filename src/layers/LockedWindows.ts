import { Deferred, Effect, Option, Random } from "effect"
import { Unavailable } from "../domain/Unavailable.ts"

/** Milliseconds for which a request waits for a window that another session holds, before it is answered with 503. */
const PATIENCE = 10_000

/** Requests of one window that ask again at once: as many as share a statement. */
const ASKING = 100

/** Milliseconds before a window is asked for again: about a statement of another process at first, a tenth of a second later. */
const pauseAfter = (tries: number) => Effect.map(Random.next, (chance) => Math.min(100, 1.2 ** tries) * (0.5 + chance))

const unavailable = Effect.suspend(() =>
  Effect.die(
    new Unavailable({ cause: new Error(`Another session has held a rate window for ${PATIENCE / 1000} seconds`) })
  )
)

/** A pause that all requests of a window share, so that they ask again by one statement. */
interface Pause {
  readonly over: Deferred.Deferred<void>
  readonly tries: number
  waiting: number
}

/**
 * Repeats the admissions whose window another session holds: admission statements skip such windows (RollingWindow.ts).
 * However many requests wait for one window, they cost one statement a pause, so that others are admitted as before.
 */
export const retryLockedWindows = <
  Question extends { readonly hash: Buffer },
  Row extends { readonly isHeld: boolean }
>(
  ask: (question: Question) => Effect.Effect<Option.Option<Row>>
) => {
  /** The pauses under way, by the token of the requests. */
  const pauses = new Map<string, Pause>()

  const begin = (key: string, tries: number): Effect.Effect<Pause> =>
    Effect.suspend(() => {
      const pause = { over: Deferred.makeUnsafe<void>(), tries, waiting: 0 }
      pauses.set(key, pause)
      const end = Effect.sync(() => {
        pauses.delete(key)
        Deferred.doneUnsafe(pause.over, Effect.void)
      })
      return pauseAfter(tries).pipe(
        Effect.flatMap(Effect.sleep),
        Effect.andThen(end),
        Effect.forkDetach,
        Effect.as(pause)
      )
    })

  const isHeld = (found: Option.Option<Row>) => Option.exists(found, (row) => row.isHeld)

  const wait = (question: Question, key: string, tries: number, deadline: number): Effect.Effect<Option.Option<Row>> =>
    Effect.gen(function* () {
      if (performance.now() > deadline) return yield* unavailable
      const pause = pauses.get(key) ?? (yield* begin(key, tries))
      const mayAsk = pause.waiting++ < ASKING
      yield* Deferred.await(pause.over)
      const found = mayAsk ? yield* ask(question) : undefined
      if (found !== undefined && !isHeld(found)) return found
      return yield* wait(question, key, pause.tries + 1, deadline)
    })

  const keyOf = ({ hash }: Question) => hash.toString("base64")

  const waitFor = (question: Question) =>
    Effect.suspend(() => wait(question, keyOf(question), 0, performance.now() + PATIENCE))

  return (question: Question): Effect.Effect<Option.Option<Row>> =>
    Effect.suspend(() =>
      pauses.size > 0 && pauses.has(keyOf(question))
        ? waitFor(question)
        : Effect.flatMap(ask(question), (found) => (isHeld(found) ? waitFor(question) : Effect.succeed(found)))
    )
}
