import { Context, type Effect, Function as Fn } from "effect"

/** Runs work. May delay it. */
export type Pace = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Does not delay work. */
export const unpaced: Pace = Fn.identity

/**
 * Paces work on large bodies, which blocks the thread for tens of milliseconds. Other requests run between two such works.
 */
export class Pacing extends Context.Service<
  Pacing,
  {
    /** Returns the pace of work on a body of this length in characters. The work must not wait. */
    readonly paceOf: (length: number) => Pace
  }
>()("domain/Pacing") {}

/** Length in characters of the request body that holds the current call, and the pace of work on it. */
export const CallBody = Context.Reference<{ readonly length: number; readonly pace: Pace }>("domain/CallBody", {
  defaultValue: () => ({ length: 0, pace: unpaced })
})
