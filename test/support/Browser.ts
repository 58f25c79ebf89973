import { Effect } from "effect"
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"

/** Debian's, or the one that is named. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Whether this machine has a browser. */
export const hasBrowser = existsSync(executablePath)

if (!hasBrowser)
  process.stdout.write(`No test in a browser: there is no ${executablePath} here (apt-get install chromium)\n`)

/** A browser without a window, until the scope ends. */
export const browser = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath })),
  (launched) => Effect.promise(() => launched.close())
)
