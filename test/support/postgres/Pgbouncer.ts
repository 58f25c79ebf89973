import { Deferred, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder, freePort } from "../process/Process.ts"
import { startPgbouncer } from "../process/Programs.ts"

type Values = Readonly<Record<string, string | number>>

/** The settings in docs/poolers.md. */
const [, documented = ""] = /```ini\n([^`]+)```/.exec(readFileSync("docs/poolers.md", "utf8")) ?? []

/** The settings with changed and additional values. */
const settingsWith = (values: Values) =>
  Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^(?:; )?${name} = .*$`, "m")
    return line.test(text) ? text.replace(line, `${name} = ${value}`) : `${text}${name} = ${value}\n`
  }, documented)

/**
 * Starts pgbouncer for the database at `url`, with two sessions for all clients, with or without limits, and returns
 * its URL. It refuses to run as root. Killed with the scope.
 */
export const pooler = Effect.fn(function* (url: string, values: Values = {}, isLimited = true) {
  const database = new URL(url)
  const name = database.pathname.slice(1)
  const [home, port] = [yield* temporaryFolder, yield* freePort]
  const users = join(home, "userlist.txt")
  const file = join(home, "pgbouncer.ini")
  writeFileSync(users, `"${database.username}" "${decodeURIComponent(database.password)}"\n`)
  const settings = settingsWith({
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_file: users,
    default_pool_size: 2,
    ...values
  })
  const sections = settings.replace(
    /^partner_api = host=\S+ port=\S+ dbname=\S+( .*)$/m,
    (_, limits: string) =>
      `${name} = host=${database.hostname} port=${database.port} dbname=${name}${isLimited ? limits : ""}`
  )
  writeFileSync(file, sections)

  const isUp = yield* Deferred.make<void>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const account = process.getuid?.() === 0 ? ["-u", "nobody"] : []
      return startPgbouncer([...account, file])
    }),
    (started) =>
      Effect.callback<void>((resume) => {
        if (started.exitCode !== null || started.signalCode !== null) return resume(Effect.void)
        started.once("exit", () => resume(Effect.void)).kill("SIGTERM")
      })
  )
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text
    if (log.includes("process up")) Deferred.doneUnsafe(isUp, Effect.void)
  })
  child.once("exit", () => Deferred.doneUnsafe(isUp, Effect.die(new Error(`pgbouncer ended: ${log}`))))
  yield* Deferred.await(isUp)
  database.host = `127.0.0.1:${port}`
  return database.href
})
