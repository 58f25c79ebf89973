import { Context, Deferred, Effect, Option, Random } from "effect"
import { Unavailable } from "../../domain/Unavailable.ts"

/** Maximum milliseconds that a request waits for a locked window before it fails with 503. */
export const WindowTimeout = Context.Reference("layers/rateLimit/WindowTimeout", { defaultValue: () => 10_000 })

/** Maximum number of requests of a window that retry together: as many as share a statement. */
const MAX_RETRYING = 100

/** Milliseconds before a retry: at first about as long as a statement of another process takes, later 100. */
const retryDelay = (tries: number) => Effect.map(Random.next, (chance) => Math.min(100, 1.2 ** tries) * (0.5 + chance))

const unavailable = Effect.suspend(() =>
  Effect.die(new Unavailable({ cause: new Error("Another session has locked a rate window for too long") }))
)

/** A pause that all requests of a window share, so that they retry in one statement. */
interface Pause {
  readonly over: Deferred.Deferred<void>
  readonly tries: number
  waiting: number
}

/**
 * Retries admissions whose window another session has locked. Admission statements skip such windows
 * (RollingWindow.ts). All requests that wait for a window share one statement per pause, so they do not slow down other
 * admissions.
 */
export const retryLockedWindows = <
  Request extends { readonly hash: Buffer },
  Row extends { readonly isLocked: boolean }
>(
  admit: (request: Request) => Effect.Effect<Option.Option<Row>>
) => {
  /** Current pauses by token hash. */
  const pauses = new Map<string, Pause>()

  const startPause = (key: string, tries: number): Effect.Effect<Pause> =>
    Effect.suspend(() => {
      const pause = { over: Deferred.makeUnsafe<void>(), tries, waiting: 0 }
      pauses.set(key, pause)
      const end = Effect.sync(() => {
        pauses.delete(key)
        Deferred.doneUnsafe(pause.over, Effect.void)
      })
      return retryDelay(tries).pipe(
        Effect.flatMap(Effect.sleep),
        Effect.andThen(end),
        Effect.forkDetach,
        Effect.as(pause)
      )
    })

  const isLocked = (row: Option.Option<Row>) => Option.exists(row, ({ isLocked }) => isLocked)

  const wait = Effect.fnUntraced(function* (
    request: Request,
    key: string,
    tries: number,
    deadline: number
  ): Effect.fn.Return<Option.Option<Row>> {
    if (performance.now() > deadline) return yield* unavailable
    const pause = pauses.get(key) ?? (yield* startPause(key, tries))
    const mayRetry = pause.waiting++ < MAX_RETRYING
    yield* Deferred.await(pause.over)
    const row = mayRetry ? yield* admit(request) : undefined
    if (row !== undefined && !isLocked(row)) return row
    return yield* wait(request, key, pause.tries + 1, deadline)
  })

  const keyOf = ({ hash }: Request) => hash.toString("base64")

  const waitFor = (request: Request) =>
    Effect.flatMap(WindowTimeout, (millis) => wait(request, keyOf(request), 0, performance.now() + millis))

  return (request: Request): Effect.Effect<Option.Option<Row>> =>
    Effect.suspend(() =>
      pauses.size > 0 && pauses.has(keyOf(request))
        ? waitFor(request)
        : Effect.flatMap(admit(request), (row) => (isLocked(row) ? waitFor(request) : Effect.succeed(row)))
    )
}
