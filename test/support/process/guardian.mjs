// Cleans up after a test run, also a killed one: waits until its standard input ends, kills the processes that have the
// run's folder or one of its clusters in their arguments, and deletes both. Node 20 does not run TypeScript.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

const [, , runFolder = "", outsideFolder = "", ownerFile = ""] = process.argv

for await (const _ of process.stdin);

const readOrEmpty = (file) => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Clusters of the run outside its folder. */
const clusters = (existsSync(outsideFolder) ? readdirSync(outsideFolder) : [])
  .map((name) => join(outsideFolder, name))
  .filter((home) => readOrEmpty(join(home, ownerFile)).startsWith(`${runFolder}/`))

const processes = () =>
  process.platform === "linux"
    ? readdirSync("/proc").map((pid) => ({ pid: Number(pid), args: readOrEmpty(`/proc/${pid}/cmdline`) }))
    : spawnSync("ps", ["-Ao", "pid=,args="], { encoding: "utf8" })
        .stdout.split("\n")
        .map((line) => ({ pid: Number.parseInt(line, 10), args: line }))

/** Kills the processes of the run, and returns their number. */
const killProcesses = (signal) => {
  const found = processes().filter(
    ({ args, pid }) => pid > 0 && pid !== process.pid && [runFolder, ...clusters].some((path) => args.includes(path))
  )
  for (const { pid } of found) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
  return found.length
}

// SIGQUIT makes PostgreSQL end its sessions and exit at once.
for (let round = 0; round < 200 && killProcesses(round < 100 ? "SIGQUIT" : "SIGKILL") > 0; round++) await setTimeout(50)
for (const folder of [runFolder, ...clusters]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
