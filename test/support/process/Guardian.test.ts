import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { temporaryFolder } from "./Process.ts"

const SCRIPT = fileURLToPath(new URL("guardian.mjs", import.meta.url))

it.live("the guardian ends the processes and deletes the clusters of a run, and no others, after its input ends", () =>
  Effect.gen(function* () {
    const root = yield* temporaryFolder
    const [run, outside] = [join(root, "run"), join(root, "outside")]
    const clusters = { own: `${run}/data`, other: `${root}/run-2/data` }
    mkdirSync(run)
    for (const [name, owner] of Object.entries(clusters)) {
      mkdirSync(join(outside, name), { recursive: true })
      writeFileSync(join(outside, name, "data-folder"), `${owner}\n`)
    }
    const processes = [join(run, "data"), join(outside, "own/data"), join(outside, "other/data")].map((path) => {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", path], { stdio: "ignore" })
      return { child, ended: once(child, "exit") }
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => processes.forEach(({ child }) => child.kill("SIGKILL"))))
    const stdio = ["pipe", "inherit", "inherit"] as const
    const guardian = spawn(process.execPath, [SCRIPT, run, outside, "data-folder"], { stdio: [...stdio] })
    guardian.stdin?.end()
    yield* Effect.promise(() => once(guardian, "exit"))

    yield* Effect.promise(() => Promise.all(processes.slice(0, 2).map(({ ended }) => ended)))
    assert.isNull(processes[2]?.child.signalCode)
    assert.isFalse(existsSync(run))
    assert.isFalse(existsSync(join(outside, "own")))
    assert.isTrue(existsSync(join(outside, "other")))
  })
)
