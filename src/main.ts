import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { environment } from "./layers/Settings.ts"
import { service } from "./Service.ts"
import { ignoreRepeatedSignals, teardown } from "./Startup.ts"

const args = process.argv.slice(2)

/** Arguments start nothing. Their parser is loaded only for them. */
const program: Effect.Effect<void, unknown> =
  args.length === 0
    ? service
    : Effect.flatMap(
        Effect.promise(() => import("./cli/ServerProgram.ts")),
        ({ serverProgram }) => serverProgram(args)
      )

NodeRuntime.runMain(Effect.provide(Effect.andThen(ignoreRepeatedSignals, program), environment), {
  disableErrorReporting: true,
  teardown
})
