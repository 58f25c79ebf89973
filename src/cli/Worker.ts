import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { DatabaseLive } from "../layers/Database.ts"
import { DEFAULT_WORKERS, MAX_WORKERS } from "../layers/webhooks/Workers.ts"
import { TracingLive } from "../layers/telemetry/Tracing.ts"
import { integer, option } from "./Options.ts"

/** Delivers webhooks in a process of its own, beside any number of others. */
export const worker = Command.make(
  "worker",
  {
    size: option(
      "concurrency",
      integer(1, MAX_WORKERS),
      `Requests under way at once, ${DEFAULT_WORKERS} when not given`
    ).pipe(Flag.withDefault(DEFAULT_WORKERS))
  },
  ({ size }) =>
    Layer.launch(
      Layer.effectDiscard(
        Effect.gen(function* () {
          // Loaded here: no other command sends anything.
          const { makeWorker } = yield* Effect.promise(() => import("../layers/webhooks/Worker.ts"))
          yield* makeWorker(size)
          yield* Console.log("Delivering webhooks; Ctrl-C stops")
        })
      ).pipe(Layer.provide(DatabaseLive), Layer.provide(TracingLive))
    )
).pipe(Command.withDescription("Deliver webhooks until stopped, beside servers started with WEBHOOK_WORKERS=0 or not"))
