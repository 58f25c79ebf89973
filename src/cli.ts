#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { setPriority } from "node:os"
import { partnerApi } from "./cli/Program.ts"
import { environment } from "./layers/Settings.ts"
import { ignoreRepeatedSignals, teardown } from "./Startup.ts"

/** Priority of an import: servers on the same machine run first. */
const LOW_PRIORITY = 19

const args = process.argv.slice(2)

if (args[0] === "import") setPriority(LOW_PRIORITY)

NodeRuntime.runMain(Effect.provide(Effect.andThen(ignoreRepeatedSignals, partnerApi(args)), environment), {
  disableErrorReporting: true,
  teardown
})
