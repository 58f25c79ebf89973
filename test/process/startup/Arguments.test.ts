import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import packageJson from "../../../package.json" with { type: "json" }
import { buildOnce, temporaryFolder } from "../../support/process/Process.ts"

/** Milliseconds after which a process has started a server instead of ending. */
const TIMEOUT = 20_000

/** Runs `node dist/<bundle>.js` in a folder, without settings. A process that does not end has no code. */
const runIn = (folder: string, bundle: "main" | "cli", ...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resume) => {
    const options = { cwd: folder, env: { PATH: process.env["PATH"], PORT: "0" }, timeout: TIMEOUT }
    execFile(process.execPath, [resolve(`dist/${bundle}.js`), ...args], options, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : error.code, stdout, stderr }))
    )
  })

const refusal = (problem: string) => ({
  code: 2,
  stdout: "",
  stderr: `partner-api: ${problem}. See: node dist/main.js --help\n`
})

it.live("arguments of the server print help, the version or an error line, and start and create nothing", () =>
  Effect.gen(function* () {
    yield* buildOnce
    const folder = yield* temporaryFolder
    const version = { code: 0, stdout: `${packageJson.version}\n`, stderr: "" }
    assert.deepStrictEqual(
      yield* Effect.all(
        {
          version: runIn(folder, "main", "--version"),
          command: runIn(folder, "cli", "--version"),
          option: runIn(folder, "main", "--port", "8080"),
          argument: runIn(folder, "main", "migrate")
        },
        { concurrency: 2 }
      ),
      {
        version,
        command: version,
        option: refusal("Unknown option: --port"),
        argument: refusal("Unexpected argument: migrate")
      }
    )
    const help = yield* runIn(folder, "main", "--help")
    assert.deepStrictEqual({ code: help.code, stderr: help.stderr }, { code: 0, stderr: "" })
    assert.match(help.stdout, /Start the server of the Partner API\. .*\n(?:.*\n)*USAGE\n {2}node dist\/main\.js\n/)
    assert.include(help.stdout, `Partner API ${packageJson.version}\n`)
    assert.deepStrictEqual(readdirSync(folder), [])
  })
)
