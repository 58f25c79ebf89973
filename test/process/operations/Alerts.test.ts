import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fetchText, freePort, makeMigratedDatabase, temporaryFolder, waitUntil } from "../../support/process/Process.ts"
import { isMissing, startProgram } from "../../support/process/Programs.ts"
import { makeProducts, makeSubscribers, startSender, startWorker } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

const decodeAlerts = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      alerts: Schema.Array(
        Schema.Struct({
          labels: Schema.Struct({ alertname: Schema.String }),
          state: Schema.String,
          value: Schema.String
        })
      )
    })
  })
)

const read = (name: string) => readFileSync(join("deploy/prometheus", name), "utf8")

/** The shipped rules, which wait for minutes, with seconds for two of them. */
const impatientRules = read("alerts.yml").replace(
  /(- alert: (?:DeliveriesOverdue|NoWorker)\n)([^]*?)for: \w+/g,
  (_, head: string, rule: string) => `${head}${rule.replace("> 300", "> 3")}for: 1s`
)

/** The shipped configuration with short intervals and other targets. */
const configuration = (server: number, worker: number) =>
  read("prometheus.yml")
    .replaceAll("15s", "1s")
    .replace(/(job_name: partner-api\n[^]*?targets: ).*/, `$1["127.0.0.1:${server}"]`)
    .replace(/(job_name: partner-api-worker\n[^]*?targets: ).*/, `$1["127.0.0.1:${worker}"]`)

it.live.skipIf(isMissing("prometheus"))(
  "alerts fire while a receiver hangs and deliveries are overdue, and when the only worker is gone",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const [serverPort, workerPort, port] = [yield* freePort, yield* freePort, yield* freePort]
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "alerts.yml"), impatientRules)
      writeFileSync(join(folder, "prometheus.yml"), configuration(serverPort, workerPort))

      const endpoint = yield* receiver(() => "hang")
      const server = yield* startSender({
        DATABASE_URL: url,
        JOB_RUNNERS: "0",
        MANAGEMENT_PORT: String(serverPort),
        WEBHOOK_WORKERS: "0"
      })
      const worker = yield* startWorker({ DATABASE_URL: url, MANAGEMENT_PORT: String(workerPort) }, 1)
      const { tokens } = yield* makeSubscribers(url, endpoint, 1)
      const prometheus = yield* startProgram("prometheus", [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error"
      ])
      const firing = Effect.map(fetchText(`http://127.0.0.1:${port}/api/v1/alerts`), ({ status, text }) =>
        status === 200
          ? decodeAlerts(JSON.parse(text))
              .data.alerts.filter(({ state }) => state === "firing")
              .map(({ labels }) => labels.alertname)
          : ["Prometheus starts"]
      )
      const waitForAlerts = (...names: ReadonlyArray<string>) =>
        waitUntil(Effect.delay(firing, "200 millis"), (alerts) => alerts.join() === names.join())
      yield* prometheus.during(waitForAlerts())

      yield* makeProducts(server.base, tokens, 5)
      yield* waitForAlerts("DeliveriesOverdue")

      // Its metrics end with it, and so does the first alert.
      worker.kill("SIGKILL")
      yield* waitForAlerts("NoWorker")
    })
)
