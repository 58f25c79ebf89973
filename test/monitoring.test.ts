import { assert, it } from "@effect/vitest"
import { Effect, Metric, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as Metrics from "../src/domain/Metrics.ts"
import { metricsText } from "../src/http/server/Management.ts"
import { isMissing, run, runWithInput } from "./support/process/Programs.ts"

const ALERTS = "deploy/prometheus/alerts.yml"
const rules = readFileSync(ALERTS, "utf8")

const decodeDashboard = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      panels: Schema.Array(
        Schema.Struct({
          title: Schema.String,
          targets: Schema.optional(Schema.Array(Schema.Struct({ expr: Schema.String })))
        })
      )
    })
  )
)

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found)

const alerts = rules
  .split(/^ +- alert: /m)
  .flatMap((rule) => matches(rule, /expr: (?:\|\n)?([^]*?)\n +(?:for|labels):/g))

const dashboard = decodeDashboard(readFileSync("deploy/grafana/dashboard.json", "utf8")).panels.flatMap(
  ({ targets = [] }) => targets.map(({ expr }) => expr)
)

const expressions = [...alerts, ...dashboard]

const LABELS = /\b(?:by|on|without) \(([^)]*)\)|\{([^}]*)\}/g
const KEYWORDS = new Set(["or", "and", "unless", "e"])

/** Names of metrics in an expression: identifiers that are neither functions, labels, strings nor durations. */
const namesIn = (expression: string) =>
  matches(expression.replaceAll(LABELS, " ").replaceAll(/\[[^\]]*\]/g, ""), /\b([a-z_][a-z0-9_]*)\b(?! *\()/gi).filter(
    (name) => !KEYWORDS.has(name)
  )

const labelsIn = (expression: string) =>
  [...expression.matchAll(LABELS)].flatMap(([, grouped = "", matched = ""]) => [
    ...matches(grouped, /(\w+)/g),
    ...matches(matched, /(\w+) *[=!]/g)
  ])

const exported: ReadonlyArray<unknown> = Object.values(Metrics)
const metrics = exported.filter(Metric.isMetric)

/** `/metrics` when all metrics have a value. */
const text = Effect.forEach(metrics, Metric.value, { discard: true }).pipe(
  Effect.andThen(metricsText),
  Effect.provideService(Metric.MetricRegistry, new Map())
)

/** Every series of `/metrics` when all metrics have a value. */
const served = Effect.map(text, (lines) =>
  matches(lines, /^# TYPE (\w+ \w+)$/gm).flatMap((line) => {
    const [name = "", type] = line.split(" ")
    return type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name]
  })
)

it.effect("alert rules and dashboard name only metrics that the service exports", () =>
  Effect.gen(function* () {
    const known = new Set([...(yield* served), "up"])
    assert.deepStrictEqual(
      expressions.flatMap(namesIn).filter((name) => !known.has(name)),
      []
    )
  })
)

it.effect("the dashboard shows every metric", () =>
  Effect.gen(function* () {
    const [shown, exported] = [dashboard.flatMap(namesIn), yield* served].map(
      (names) => new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")))
    )
    assert.sameMembers(
      [...(shown ?? [])].filter((name) => name !== "up"),
      [...(exported ?? [])]
    )
  })
)

it.effect("every counter exists from the start of a process, so that its first increase is seen", () =>
  Effect.gen(function* () {
    yield* Metrics.startCounters
    const started = new Set((yield* Metric.snapshot).map(({ id }) => id))
    assert.deepStrictEqual(
      metrics.flatMap(({ id, type }) => (type === "Counter" && !started.has(id) ? [id] : [])),
      []
    )
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.effect.skipIf(isMissing("promtool"))("Prometheus finds no fault in the names and types of the metrics", () =>
  Effect.flatMap(text, (lines) => Effect.promise(() => runWithInput("promtool", ["check", "metrics"], lines)))
)

it("alert rules and dashboard name only labels that the operations manual lists", () => {
  const listed = matches(readFileSync("docs/operations/monitor.md", "utf8"), /`([a-z_.]+)`/g).map((name) =>
    name.replaceAll(".", "_")
  )
  const known = new Set([...listed, "le", "job", "instance"])
  assert.deepStrictEqual(
    expressions.flatMap(labelsIn).filter((name) => !known.has(name)),
    []
  )
})

it("the operations manual has a heading for each alert, in the same order", () => {
  const manual = readFileSync("docs/operations/alerts.md", "utf8")
  assert.deepStrictEqual(matches(manual, /^### (.+)$/gm), matches(rules, /^ +- alert: (\w+)$/gm))
})

it.effect.skipIf(isMissing("promtool"))("alerts fire at the first failure, and name what fails", () =>
  Effect.promise(() => run("promtool", ["test", "rules", "test/data/prometheus/alerts.yml"]))
)

it.effect.skipIf(isMissing("promtool"))("Prometheus accepts the configuration and the alert rules", () =>
  Effect.promise(() => run("promtool", ["check", "config", "deploy/prometheus/prometheus.yml"]))
)
