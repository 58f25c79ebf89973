import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { buildOnce, temporaryFolder, makeMigratedDatabase, waitUntil } from "../../support/process/Process.ts"

const execute = promisify(execFile)

/** Runs `npm start` in its own process group, as a terminal does. Killed with the scope. */
const npmStart = Effect.fn(function* (url: string) {
  yield* buildOnce
  const npm = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { ...process.env, DATABASE_URL: url, PORT: "0" }
      return spawn("npm", ["start"], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] })
    }),
    ({ pid = 0 }) => Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))
  )
  let output = ""
  npm.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text))
  const ended = once(npm, "exit")
  const base = yield* waitUntil(
    Effect.sync(() => /^Partner API  (http:\S+)\/api/m.exec(output)?.[1]),
    (address) => address !== undefined
  )
  return { base, npm, ended: Effect.promise(() => ended) }
})

/** Supervisors signal the npm process. Ctrl-C signals the whole group, and npm forwards the signal again. */
const signals: ReadonlyArray<readonly [string, (pid: number) => number, NodeJS.Signals]> = [
  ["SIGTERM to npm", (pid) => pid, "SIGTERM"],
  ["SIGINT to npm", (pid) => pid, "SIGINT"],
  ["Ctrl-C", (pid) => -pid, "SIGINT"]
]

for (const [name, target, signal] of signals) {
  it.live(`${name} stops a server started by npm, and npm waits for it`, () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const { base, ended, npm } = yield* npmStart(url)
      process.kill(target(npm.pid ?? 0), signal)
      yield* ended
      const result = yield* Effect.promise(() =>
        fetch(`${base}/healthz`).then(
          () => "answered",
          () => "gone"
        )
      )
      assert.strictEqual(result, "gone")
      const { rows } = yield* Effect.promise(() =>
        client.query("select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
      )
      assert.lengthOf(rows, 0)
    })
  )
}

it.live("the build succeeds in a folder whose name needs URL encoding", () =>
  Effect.gen(function* () {
    const project = join(yield* temporaryFolder, "my projects, käse %41")
    mkdirSync(project)
    for (const name of ["src", "scripts", "lingui.config.ts", "package.json", "package-lock.json", "tsconfig.json"]) {
      cpSync(name, join(project, name), { recursive: true })
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(project, "node_modules"))
    yield* Effect.promise(() => execute(process.execPath, ["scripts/build.mjs", "--if-stale"], { cwd: project }))
    assert.isTrue(existsSync(join(project, "dist/main.js")))
  })
)
