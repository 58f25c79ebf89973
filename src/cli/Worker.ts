import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { DatabaseLive } from "../layers/Database.ts"
import { DEFAULT_WORKERS, MAX_WORKERS } from "../layers/webhooks/WorkerSettings.ts"
import { TracingLive } from "../layers/telemetry/Tracing.ts"
import { integer, option, withHelp } from "./Options.ts"

/** Delivers webhooks in a separate process, beside any number of others. */
export const worker = Command.make(
  "worker",
  {
    concurrency: option(
      "concurrency",
      integer(1, MAX_WORKERS),
      `Maximum number of concurrent requests. Default: ${DEFAULT_WORKERS}`,
      "number"
    ).pipe(Flag.withDefault(DEFAULT_WORKERS))
  },
  ({ concurrency }) =>
    Layer.launch(
      Layer.effectDiscard(Console.log("Delivering webhooks; Ctrl-C stops")).pipe(
        // Imported here, because no other command sends HTTP requests.
        Layer.provide(
          Layer.unwrap(
            Effect.map(
              Effect.promise(() => import("../layers/webhooks/Worker.ts")),
              ({ webhookWorker }) => webhookWorker(concurrency)
            )
          )
        ),
        Layer.provide(DatabaseLive),
        Layer.provide(TracingLive)
      )
    )
).pipe(
  withHelp({
    summary: "Deliver webhooks until stopped",
    details:
      "Any number of workers can run beside servers. Start servers with WEBHOOK_WORKERS=0 to deliver in workers only. LOG_FORMAT=json prints the log as JSON.",
    examples: ["", "--concurrency 50"]
  })
)
