import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { built, folder, ownDatabase, watch } from "../../support/process/Process.ts"

const execute = promisify(execFile)

/** `npm start` in a process group of its own, as in a terminal; killed with the scope. */
const npmStart = Effect.fn(function* (url: string) {
  yield* built
  const npm = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { ...process.env, DATABASE_URL: url, PORT: "0" }
      return spawn("npm", ["start"], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] })
    }),
    ({ pid = 0 }) => Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))
  )
  let said = ""
  npm.stdout.setEncoding("utf8").on("data", (text: string) => void (said += text))
  const ended = once(npm, "exit")
  const base = yield* watch(
    Effect.sync(() => /^Partner API  (http:\S+)\/api/m.exec(said)?.[1]),
    (address) => address !== undefined
  )
  return { base, npm, ended: Effect.promise(() => ended) }
})

/** The process that a terminal or a supervisor knows is npm's; Ctrl-C reaches the whole group, and again through npm. */
const signals: ReadonlyArray<readonly [string, (pid: number) => number, NodeJS.Signals]> = [
  ["SIGTERM to npm", (pid) => pid, "SIGTERM"],
  ["SIGINT to npm", (pid) => pid, "SIGINT"],
  ["Ctrl-C", (pid) => -pid, "SIGINT"]
]

for (const [name, target, signal] of signals) {
  it.live(`${name} stops a server started by npm, and npm waits for it`, () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const { base, ended, npm } = yield* npmStart(url)
      process.kill(target(npm.pid ?? 0), signal)
      yield* ended
      const answer = yield* Effect.promise(() =>
        fetch(`${base}/healthz`).then(
          () => "answered",
          () => "gone"
        )
      )
      assert.strictEqual(answer, "gone")
      const { rows } = yield* Effect.promise(() =>
        client.query("select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
      )
      assert.lengthOf(rows, 0)
    })
  )
}

it.live("builds in a folder whose name needs URL encoding", () =>
  Effect.gen(function* () {
    const project = join(yield* folder, "my projects, käse %41")
    mkdirSync(project)
    for (const name of ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json"]) {
      cpSync(name, join(project, name), { recursive: true })
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(project, "node_modules"))
    yield* Effect.promise(() => execute(process.execPath, ["scripts/build.mjs", "--if-stale"], { cwd: project }))
    assert.isTrue(existsSync(join(project, "dist/main.js")))
  })
)
