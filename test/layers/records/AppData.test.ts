import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import * as FastCheck from "fast-check"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { AppDataLive } from "../../../src/layers/records/AppData.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeInstallation } from "../../support/http/Api.ts"
import { fillAppData, passTime, usageOf } from "../../support/data/AppData.ts"
import { appContext } from "../../support/data/KeyedWrites.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AppDataLive, WritesLive, AccessLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

/** One step of a history: an operation on app data, or the passing of time. */
type Step =
  | { readonly operation: "put"; readonly at: string; readonly value: string; readonly ttl: number | undefined }
  | { readonly operation: "get" | "delete"; readonly at: string }
  | { readonly operation: "list"; readonly cursor: string | undefined; readonly limit: number }
  | { readonly operation: "purge" }
  | { readonly operation: "pass"; readonly seconds: number }

/** Times are multiples of ten seconds, so that the duration of the test does not matter. */
const tens = FastCheck.integer({ min: 1, max: 4 }).map((n) => n * 10)
const key = FastCheck.constantFrom("a", "b", "B", "a.1", "a:1", "c-2", "_")
const value = FastCheck.constantFrom("1", "1.5", "1e+40", '"\u00e9"', `"${"x".repeat(38)}"`, "[]")
const ttl = FastCheck.option(tens, { nil: undefined })

const put = FastCheck.record({ operation: FastCheck.constant("put" as const), at: key, value, ttl })
const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  { weight: 5, arbitrary: put },
  {
    weight: 3,
    arbitrary: FastCheck.record({ operation: FastCheck.constantFrom("get" as const, "delete" as const), at: key })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      operation: FastCheck.constant("list" as const),
      cursor: FastCheck.option(key, { nil: undefined }),
      limit: FastCheck.integer({ min: 1, max: 4 })
    })
  },
  { weight: 1, arbitrary: FastCheck.constant({ operation: "purge" as const }) },
  { weight: 2, arbitrary: FastCheck.record({ operation: FastCheck.constant("pass" as const), seconds: tens }) }
)

/** Free entries and bytes of the quota at the start. */
interface FreeQuota {
  readonly entries: number
  readonly bytes: number
}

const freeQuota: FastCheck.Arbitrary<FreeQuota> = FastCheck.record({
  entries: FastCheck.integer({ min: 1, max: 6 }),
  bytes: FastCheck.integer({ min: 3, max: 100 })
})

interface StoredEntry {
  readonly value: string
  /** Remaining time to live in seconds. */
  readonly left: number
}

type Model = ReadonlyMap<string, StoredEntry>

const bytesIn = (value: string) => Buffer.byteLength(value)

const isWithin = (model: Model, { bytes, entries }: FreeQuota) =>
  model.size <= entries && [...model.values()].reduce((sum, { value }) => sum + bytesIn(value), 0) <= bytes

const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Reference model: the result of a step and the entries after it. */
const expectedResult = (model: Model, freeQuota: FreeQuota, step: Step): readonly [answer: unknown, after: Model] => {
  switch (step.operation) {
    case "put": {
      const after = new Map(model).set(step.at, { value: step.value, left: step.ttl ?? Infinity })
      return isWithin(after, freeQuota) ? [step.value, after] : ["AppDataFull", model]
    }
    case "get":
      return [model.get(step.at)?.value ?? "AppDataNotFound", model]
    case "delete": {
      const after = new Map(model)
      return after.delete(step.at) ? ["deleted", after] : ["AppDataNotFound", model]
    }
    case "list": {
      const keys = [...model.keys()].toSorted(bytewise).filter((key) => key > (step.cursor ?? ""))
      const page = keys.slice(0, step.limit)
      return [{ page, nextCursor: page.length < keys.length ? page.at(-1) : null }, model]
    }
    case "purge":
      return ["purged", model]
    case "pass":
      return [
        "passed",
        new Map(
          [...model]
            .map(([key, { left, value }]) => [key, { value, left: left - step.seconds }] as const)
            .filter(([, { left }]) => left > 0)
        )
      ]
  }
}

const toEntry = Schema.decodeUnknownSync(Schema.Struct({ key: Schema.String }))
const toEntries = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Struct({ key: Schema.String }))))

/** Returns the JSON text of the value of an entry. */
const valueIn = (json: string) => {
  toEntry(JSON.parse(json))
  return json.slice(json.indexOf('"value":') + 8, json.lastIndexOf(',"expiresAt":'))
}

const runStep = Effect.fn(function* (installation: Installation, step: Step) {
  const appData = yield* AppData
  const { perform } = yield* Writes
  const context = appContext(installation)
  switch (step.operation) {
    case "put": {
      const ttlSeconds = step.ttl === undefined ? {} : { ttlSeconds: step.ttl }
      const entry = { key: step.at, value: JSON.parse(step.value), ...ttlSeconds }
      return yield* Effect.map(perform(context, appData.put(installation, "n", entry)), valueIn)
    }
    case "get":
      return yield* Effect.map(appData.get(installation, "n", step.at), valueIn)
    case "delete":
      return yield* Effect.as(perform(context, appData.delete(installation, "n", step.at)), "deleted")
    case "list": {
      const { items, nextCursor } = yield* appData.list(installation, "n", step)
      return { page: toEntries(items).map(({ key }) => key), nextCursor }
    }
    case "purge":
      return yield* Effect.as(appData.purge, "purged")
    case "pass":
      return yield* Effect.as(passTime(installation, step.seconds), "passed")
  }
})

/** Returns the result of a step, or the tag of its error. */
const resultOf = (installation: Installation, step: Step) =>
  Effect.map(
    Effect.result(runStep(installation, step)),
    Result.match({ onFailure: ({ _tag }): unknown => _tag, onSuccess: (a) => a })
  )

/** An installation with this free quota. */
const filled = ({ bytes, entries }: FreeQuota) =>
  Effect.tap(Effect.orDie(makeInstallation()), (installation) =>
    fillAppData(installation, 10_000 - entries, 10 * 1024 * 1024 - bytes)
  )

const check = <A, R>(
  arbitrary: FastCheck.Arbitrary<A>,
  numRuns: number,
  holds: (given: A) => Effect.Effect<void, unknown, R>
) =>
  Effect.flatMap(Effect.context<R>(), (runtime) =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(arbitrary, (input) => Effect.runPromise(Effect.provide(holds(input), runtime))),
        { numRuns, endOnFailure: true }
      )
    )
  )

layer(Live, { excludeTestServices: true, timeout: "120 seconds" })("App data", (it) => {
  it.effect("random sequences of operations have the results of a map with expiry and a quota", () =>
    check(
      FastCheck.tuple(freeQuota, FastCheck.array(step, { minLength: 10, maxLength: 40 })),
      15,
      ([freeQuota, steps]) =>
        Effect.gen(function* () {
          const installation = yield* filled(freeQuota)
          let model: Model = new Map()
          const expected: Array<unknown> = []
          const answers: Array<unknown> = []
          for (const step of steps) {
            const [answer, after] = expectedResult(model, freeQuota, step)
            expected.push(answer)
            model = after
            answers.push(yield* resultOf(installation, step))
          }
          assert.deepStrictEqual(answers, expected)
          assert.deepInclude((yield* usageOf(installation))[0], { isRight: true })
        })
    )
  )

  it.effect("concurrent operations keep the usage count exact, store only values of puts and respect the quota", () =>
    check(
      FastCheck.tuple(freeQuota, FastCheck.array(step, { minLength: 10, maxLength: 40 })),
      15,
      ([freeQuota, steps]) =>
        Effect.gen(function* () {
          const installation = yield* filled(freeQuota)
          yield* Effect.forEach(steps, (step) => resultOf(installation, step), { concurrency: "unbounded" })
          assert.deepInclude((yield* usageOf(installation))[0], { isRight: true })
          const stored = new Map<string, StoredEntry>()
          for (const at of new Set(steps.flatMap((step) => ("at" in step ? [step.at] : [])))) {
            const value = yield* resultOf(installation, { operation: "get", at })
            if (value === "AppDataNotFound") continue
            const puts = steps.filter((step) => step.operation === "put" && step.at === at && step.value === value)
            assert.isNotEmpty(puts, at)
            stored.set(at, { value: String(value), left: 1 })
          }
          assert.isTrue(isWithin(stored, freeQuota))
          yield* passTime(installation, 40)
          const { purge } = yield* AppData
          yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
          assert.deepInclude((yield* usageOf(installation))[0], { isRight: true })
        })
    )
  )
})
