import { Effect } from "effect"
import { execFile, spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { lastVersion, NO_RELEASE } from "../releases/LastVersion.ts"

/** Finds a program by its path or by its name on PATH. */
const find = (nameOrPath: string): string | undefined =>
  (nameOrPath.includes("/")
    ? [nameOrPath]
    : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, nameOrPath))
  ).find((path) => existsSync(path))

/** Finds a pgbouncer that supports prepared statements. */
const findPreparedPooling = () => {
  const path = find("pgbouncer")
  if (path === undefined) return undefined
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) > 1 || Number(minor) >= 21 ? path : undefined
}

/** Finds the commit of the last release by its tag. */
const findLastRelease = () => {
  const version = lastVersion()
  const git = find("git")
  if (version === undefined) return NO_RELEASE
  if (git === undefined || find("tar") === undefined) return undefined
  const { status, stdout } = spawnSync(git, ["rev-parse", "--verify", "--quiet", `v${version}^{commit}`], {
    encoding: "utf8"
  })
  return status === 0 ? stdout.trim() : undefined
}

/** Programs besides Node and npm that some tests need. */
const PROGRAMS = {
  basenc: { path: find("basenc"), install: "apt-get install coreutils" },
  bash: { path: find("bash"), install: "apt-get install bash" },
  chromium: {
    // The shell has no user interface, and takes a quarter less CPU.
    path: process.env["CHROMIUM"]
      ? find(process.env["CHROMIUM"])
      : (find("chromium-headless-shell") ?? find("chromium")),
    install: "apt-get install chromium, or set CHROMIUM to the path of a Chromium or Chrome"
  },
  curl: { path: find("curl"), install: "apt-get install curl" },
  git: { path: find("git"), install: "apt-get install git" },
  haproxy: { path: find("haproxy") ?? find("/usr/sbin/haproxy"), install: "apt-get install haproxy" },
  // Tags of the history, not a program.
  "last release": { path: findLastRelease(), install: "git fetch --tags" },
  openssl: { path: find("openssl"), install: "apt-get install openssl" },
  pgbouncer: { path: find("pgbouncer"), install: "apt-get install pgbouncer" },
  "pgbouncer 1.21": { path: findPreparedPooling(), install: "install pgbouncer 1.21 or newer" },
  prometheus: { path: find("prometheus"), install: "apt-get install prometheus" },
  tar: { path: find("tar"), install: "apt-get install tar" },
  promtool: { path: find("promtool"), install: "apt-get install prometheus" }
}

export type Program = keyof typeof PROGRAMS

/** Commit of the last release, or `NO_RELEASE`; undefined if the history lacks it. */
export const lastRelease = PROGRAMS["last release"].path

/** Guard of a test or suite: `describe.skipIf(isMissing("chromium"))`. `npm test` lists the skipped files. */
export const isMissing = (program: Program): boolean => PROGRAMS[program].path === undefined

/** The guard as written in test files. The summary of a run and the architecture test search for it. */
export const guardOf = (program: string): string => `isMissing("${program}")`

const pathOf = (program: Program): string => {
  const { install, path } = PROGRAMS[program]
  if (path !== undefined) return path
  throw new Error(`There is no ${program}: guard the test with skipIf(${guardOf(program)}), or ${install}`)
}

/** One line for each missing program that some of the test files need: how to install it, and the skipped files. */
export const skippedFiles = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>) =>
  Object.entries(PROGRAMS).flatMap(([program, { install, path }]) => {
    const skipped = files.filter(({ text }) => text.includes(guardOf(program))).map((file) => file.path)
    return path !== undefined || skipped.length === 0
      ? []
      : [`Skipped without ${program} (${install}): tests in ${skipped.toSorted().join(", ")}`]
  })

/** Runs the shell commands of documents and pages. */
export const runInBash = (...lines: ReadonlyArray<string>) =>
  promisify(execFile)(pathOf("bash"), ["-c", lines.join("\n")])

/** Runs a program to its end. Fails if it does. */
export const run = (program: Program, args: ReadonlyArray<string>) => promisify(execFile)(pathOf(program), args)

/** Runs a program with a text on its standard input. Fails with its output unless it ends with 0. */
export const runWithInput = (program: Program, args: ReadonlyArray<string>, input: string) =>
  new Promise<void>((resolve, reject) => {
    const child = execFile(pathOf(program), args, (error, stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`, { cause: error }))
    })
    child.stdin?.end(input)
  })

/** A headless browser. Closed with the scope. */
export const browser = Effect.acquireRelease(
  Effect.promise(async () => {
    const executablePath = pathOf("chromium")
    const { chromium } = await import("playwright-core")
    return chromium.launch({ executablePath })
  }),
  (launched) => Effect.promise(() => launched.close())
)

/** Starts pgbouncer, which logs to standard error. */
export const startPgbouncer = (args: ReadonlyArray<string>) =>
  spawn(pathOf("pgbouncer"), args, { stdio: ["ignore", "ignore", "pipe"] })

/** Starts a program that logs to standard error. Ended with the scope. */
export const startProgram = (program: Program, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(pathOf(program), args, { stdio: ["ignore", "ignore", "pipe"] })
      const output = { stderr: "" }
      child.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text))
      const early = Effect.callback<never>((resume) => {
        child.once("exit", () => resume(Effect.die(new Error(`${program} ended: ${output.stderr}`))))
      })
      /** Waits for something that happens while the program runs. */
      const during = <A>(wait: Effect.Effect<A>) => Effect.raceFirst(wait, early)
      return { child, output, during }
    }),
    ({ child }) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void)).kill("SIGTERM")
      })
  )

const IMAGE = "postgres:18"

/**
 * Starts PostgreSQL in a container. Returns undefined without a Docker engine, or if the image cannot run, which is
 * logged.
 */
export const postgresInDocker = async (settings: ReadonlyArray<string>) => {
  // Ryuk removes containers of crashed runs. It needs another image, and this run stops its only container itself.
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
