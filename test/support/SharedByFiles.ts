import { Effect, Layer, ManagedRuntime } from "effect"

/**
 * Builds a layer for the first file of a worker that uses it, outside the scope and the clock of the test. It ends with
 * the worker, whose databases and processes the end of the run removes.
 */
export const sharedByFiles = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const runtime = ManagedRuntime.make(layer)
  return Layer.effectContext(Effect.promise(() => runtime.context()))
}
