import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Programs beside Node and npm that some tests need, and how to install each. */
const INSTALL = {
  chromium: "apt-get install chromium, or set CHROMIUM to the path of a Chromium or Chrome",
  pgbouncer: "apt-get install pgbouncer"
} as const

export type Program = keyof typeof INSTALL

/** The path of a program that is named by its path, or by a name on PATH. */
const find = (nameOrPath: string): string | undefined =>
  (nameOrPath.includes("/")
    ? [nameOrPath]
    : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, nameOrPath))
  ).find((path) => existsSync(path))

const paths: Readonly<Record<Program, string | undefined>> = {
  chromium: find(process.env["CHROMIUM"] || "chromium"),
  pgbouncer: find("pgbouncer")
}

/** Guards a test or a suite, as in `describe.skipIf(isMissing("chromium"))`. `npm test` names the files that it skips. */
export const isMissing = (program: Program): boolean => paths[program] === undefined

/** The guard as it stands in a test file: the summary and the architecture test look for it. */
export const guardOf = (program: Program): string => `isMissing("${program}")`

const pathOf = (program: Program): string => {
  const path = paths[program]
  if (path === undefined)
    throw new Error(`There is no ${program}: guard the test with skipIf(${guardOf(program)}), or ${INSTALL[program]}`)
  return path
}

/** One line for each missing program that some of the test files need: how to install it, and what is skipped. */
export const skippedFiles = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>) =>
  (["chromium", "pgbouncer"] as const).filter(isMissing).flatMap((program) => {
    const skipped = files.filter(({ text }) => text.includes(guardOf(program))).map(({ path }) => path)
    return skipped.length === 0
      ? []
      : [`Skipped without ${program} (${INSTALL[program]}): tests in ${skipped.toSorted().join(", ")}`]
  })

/** A headless browser, until the scope ends. */
export const browser = Effect.acquireRelease(
  Effect.promise(async () => {
    const executablePath = pathOf("chromium")
    const { chromium } = await import("playwright-core")
    return chromium.launch({ executablePath })
  }),
  (launched) => Effect.promise(() => launched.close())
)

/** True where the installed pgbouncer supports prepared statements, as it does from 1.21. */
export const hasPreparedPooling = (): boolean => {
  if (isMissing("pgbouncer")) return false
  const { stdout } = spawnSync(pathOf("pgbouncer"), ["--version"], { encoding: "utf8" })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

/** Starts pgbouncer; its log is on standard error. */
export const startPgbouncer = (args: ReadonlyArray<string>) =>
  spawn(pathOf("pgbouncer"), args, { stdio: ["ignore", "ignore", "pipe"] })

const IMAGE = "postgres:18"

/** PostgreSQL in a container; undefined without a Docker engine, or where the image cannot run, which is logged. */
export const postgresInDocker = async (settings: ReadonlyArray<string>) => {
  // Ryuk removes containers of runs that died. It is one more image to pull, and we stop our only container ourselves.
  process.env["TESTCONTAINERS_RYUK_DISABLED"] ??= "true"
  const { PostgreSqlContainer } = await import("@testcontainers/postgresql")
  try {
    const container = await new PostgreSqlContainer(IMAGE)
      .withStartupTimeout(60_000)
      .withCommand(["postgres", ...settings.flatMap((setting) => ["-c", setting])])
      .start()
    const stop = async () => void (await container.stop())
    return { url: container.getConnectionUri(), origin: `Docker (${IMAGE})`, stop }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!reason.includes("container runtime"))
      process.stdout.write(`Docker answers but cannot run ${IMAGE}: ${reason.trim()}\n`)
    return undefined
  }
}
