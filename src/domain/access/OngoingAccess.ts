import { Clock, Duration, Effect, Stream } from "effect"

/** Interval at which the access of a request is checked again while it waits or sends its body. */
const CHECK_INTERVAL = Duration.millis(500)

const checkRepeatedly = <E, R>(check: Effect.Effect<unknown, E, R>) =>
  Effect.forever(Effect.delay(check, CHECK_INTERVAL))

/**
 * Waits for an answer. Interrupts the wait with the error of `check` once the access of its caller ends
 * (docs/spec/access.md). An answer is checked too, because the access may have ended since the last check.
 */
export const whileGranted =
  <E2, R2>(check: Effect.Effect<unknown, E2, R2>) =>
  <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R | R2> =>
    Effect.tap(Effect.raceFirst(wait, checkRepeatedly(check)), () => check)

/**
 * Receives a body. Fails with the error of `check` once the access of its sender ends. A body that arrives before the
 * first check costs none.
 */
export const receiveWhileGranted =
  <E2, R2>(check: Effect.Effect<unknown, E2, R2>) =>
  <A, E, R>(body: Stream.Stream<A, E, R>): Stream.Stream<A, E | E2, R | R2> =>
    Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (startedAt) => {
        const lastCheck = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now - startedAt < Duration.toMillis(CHECK_INTERVAL) ? Effect.void : Effect.asVoid(check)
        )
        return Stream.concat(Stream.interruptWhen(body, checkRepeatedly(check)), Stream.fromEffectDrain(lastCheck))
      })
    )
