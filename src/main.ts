import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { environment } from "./layers/Settings.ts"
import { service } from "./Service.ts"
import { ignoreRepeatedSignals, teardown } from "./Startup.ts"

NodeRuntime.runMain(Effect.provide(Effect.andThen(ignoreRepeatedSignals, service), environment), {
  disableErrorReporting: true,
  teardown
})
