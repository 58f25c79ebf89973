import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { release } from "../domain/Release.ts"
import { awaitSchema, ProcessDatabaseLive } from "../layers/Database.ts"
import { DEFAULT_WORKERS, MAX_WORKERS } from "../layers/webhooks/WorkerSettings.ts"
import { DEFAULT_JOB_RUNNERS, MAX_JOB_RUNNERS } from "../layers/jobs/RunnerSettings.ts"
import { printNotice } from "../layers/Logging.ts"
import { managementServer } from "../http/server/Management.ts"
import { managementAddress } from "../layers/Settings.ts"
import { ProcessMetrics } from "../layers/telemetry/ProcessMetrics.ts"
import { TelemetryLive } from "../layers/telemetry/Telemetry.ts"
import { integer, option, withHelp } from "./Options.ts"

/** Delivers webhooks and runs jobs in a separate process, beside any number of others. */
export const worker = Command.make(
  "worker",
  {
    concurrency: option(
      "concurrency",
      integer(1, MAX_WORKERS),
      `Maximum number of concurrent requests. Default: ${DEFAULT_WORKERS}`,
      "number"
    ).pipe(Flag.withDefault(DEFAULT_WORKERS)),
    jobs: option(
      "jobs",
      integer(0, MAX_JOB_RUNNERS),
      `Maximum number of concurrent jobs, such as change sets, beside one export. Default: ${DEFAULT_JOB_RUNNERS}`,
      "number"
    ).pipe(Flag.withDefault(DEFAULT_JOB_RUNNERS))
  },
  ({ concurrency, jobs }) =>
    Layer.launch(
      Layer.effectDiscard(printNotice(`Delivering webhooks with Partner API ${release}; Ctrl-C stops`)).pipe(
        // Imported here, because no other command sends HTTP requests or runs jobs.
        Layer.provide(
          Layer.unwrap(
            Effect.map(
              Effect.all({
                address: managementAddress,
                modules: Effect.promise(() =>
                  Promise.all([
                    import("../layers/webhooks/Worker.ts"),
                    import("../layers/jobs/JobRunner.ts"),
                    import("../layers/cells/Cells.ts"),
                    import("../layers/cells/CellWorkers.ts"),
                    import("../layers/cells/ProcessHealth.ts")
                  ])
                )
              }),
              ({
                address,
                modules: [{ webhookWorker }, { jobRunner }, { InstallationLive }, { inEveryCell }, { ProcessHealth }]
              }) => {
                const work = Layer.merge(webhookWorker(concurrency), jobRunner(jobs))
                return Layer.mergeAll(
                  Layer.provide(Layer.merge(work, inEveryCell(work)), Layer.effectDiscard(awaitSchema)),
                  Layer.provide(managementServer(address), ProcessHealth),
                  ProcessMetrics
                ).pipe(Layer.provide(InstallationLive))
              }
            )
          )
        ),
        Layer.provide(ProcessDatabaseLive),
        Layer.provide(Layer.provide(TelemetryLive, FetchHttpClient.layer))
      )
    )
).pipe(
  withHelp({
    summary: "Deliver webhooks and run jobs until stopped",
    details:
      "Works for main and for the cells of CELLS. Any number of workers can run beside servers. Start servers with WEBHOOK_WORKERS=0 and JOB_RUNNERS=0 to leave this work to workers. LOG_FORMAT=json prints the log as JSON. MANAGEMENT_PORT serves /healthz, /livez, /readyz and /metrics.",
    examples: ["", "--concurrency 50"]
  })
)
