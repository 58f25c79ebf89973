import { assert, it } from "@effect/vitest"
import { Cause, Effect, References, Tracer } from "effect"
import { traced } from "../../../src/layers/telemetry/Traced.ts"

const nameOfSpan = Effect.map(Effect.option(Effect.currentSpan), (span) =>
  span._tag === "Some" ? `${span.value.name} ${span.value.traceId}` : "none"
)

const withGenerator = traced("Names.generator")(function* (name: string) {
  return [name, yield* nameOfSpan]
})
const withEffect = traced("Names.effect")(
  (name: string) => Effect.map(nameOfSpan, (span) => [name, span]),
  (effect, name) => Effect.map(effect, (all) => [...all, name])
)
const failing = traced("Names.failing")(function* (reason: string) {
  return yield* Effect.die(new Error(reason))
})
const calling = traced("Names.calling")(failing)

const withoutExporter = Effect.provideService(References.TracerEnabled, false)

it.effect("a traced method has no span without an exporter", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* withGenerator("a"), ["a", "none"])
    assert.deepStrictEqual(yield* withEffect("b"), ["b", "none", "b"])
  }).pipe(withoutExporter)
)

it.effect("a traced method has a span while spans are exported", () =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    yield* Effect.withTracer(Effect.all([withGenerator("a"), withEffect("b")]), tracer)
    assert.deepStrictEqual(names, ["Names.generator", "Names.effect"])
  })
)

it.effect("the stack of a defect names the traced methods, the innermost first", () =>
  Effect.gen(function* () {
    const text = Cause.pretty(yield* Effect.flip(Effect.sandbox(calling("broken"))))
    assert.match(text, /Error: broken[^]*Traced\.test\.ts[^]*at Names\.failing\n\s*at Names\.calling/)
  }).pipe(withoutExporter)
)
