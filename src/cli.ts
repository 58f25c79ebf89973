#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { setPriority } from "node:os"
import { partnerApi } from "./cli/Program.ts"
import { environment } from "./layers/Settings.ts"
import { heedOneSignal, teardown } from "./Startup.ts"

/** The priority of an import, so that servers on the same machine come first. */
const LOW_PRIORITY = 19

const typed = process.argv.slice(2)

if (typed[0] === "import") setPriority(LOW_PRIORITY)

NodeRuntime.runMain(Effect.provide(Effect.andThen(heedOneSignal, partnerApi(typed)), environment), {
  disableErrorReporting: true,
  teardown
})
