import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { service } from "./Service.ts"
import { heedOneSignal } from "./Startup.ts"

NodeRuntime.runMain(Effect.zipRight(heedOneSignal, service), { disableErrorReporting: true, disablePrettyLogger: true })
