#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { defaultTeardown } from "@effect/platform/Runtime"
import { Effect } from "effect"
import { setPriority } from "node:os"
import { partnerApi } from "./cli/Program.ts"
import { heedOneSignal } from "./Startup.ts"

/** Of an import, so that servers on the same machine come first. */
const LOW_PRIORITY = 19

const typed = process.argv.slice(2)

if (typed[0] === "import") setPriority(LOW_PRIORITY)

NodeRuntime.runMain(Effect.zipRight(heedOneSignal, partnerApi(typed)), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  // A command that was stopped may have said that this is no success.
  teardown: (exit, end) => defaultTeardown(exit, (code) => end(code === 0 ? Number(process.exitCode ?? 0) : code))
})
