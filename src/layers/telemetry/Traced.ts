import { Cause, Context, Effect, References } from "effect"
import { types } from "node:util"

/** Adds a frame at the end of a chain. */
const append = (inner: References.StackFrame | undefined, frame: References.StackFrame): References.StackFrame =>
  inner === undefined ? frame : { ...inner, parent: append(inner.parent, frame) }

/** Adds the method to the stacks of defects, for the log. */
const nameDefects =
  (frame: References.StackFrame) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchCauseIf(effect, Cause.hasDies, (cause) => {
      const inner = Context.getOrUndefined(Cause.annotations(cause), Cause.StackTrace)
      const stack = Context.make(Cause.StackTrace, append(inner, frame))
      return Effect.failCause(Cause.annotate(cause, stack, { overwrite: true }))
    })

/** Runs an effect in a span while spans are exported. */
const inSpan = (name: string) => {
  const named = nameDefects({ name, stack: () => undefined, parent: undefined })
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => {
    const plain = named(effect)
    return Effect.flatMap(References.TracerEnabled, (isEnabled) => (isEnabled ? Effect.withSpan(effect, name) : plain))
  }
}

/** Makes a generator function of a body that returns an effect. */
const generatorOf = (body: unknown) =>
  typeof body !== "function" || types.isGeneratorFunction(body)
    ? body
    : function* (...input: ReadonlyArray<unknown>) {
        return yield* Reflect.apply(body, undefined, input)
      }

/**
 * `Effect.fn` for methods that run in every request. Each call of `Effect.fn` captures a stack and provides a frame and a
 * span, without an exporter too. This one makes a span only while spans are exported. Otherwise a defect still names the
 * method in the log, without the line of its caller.
 */
export const traced = (name: string): Effect.fn.Traced =>
  new Proxy(Effect.fn(name), {
    apply: (_, self, [body, ...pipeables]: ReadonlyArray<unknown>) =>
      Reflect.apply(Effect.fnUntraced, self, [generatorOf(body), ...pipeables, inSpan(name)])
  })
