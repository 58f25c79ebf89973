import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { OUTSIDE_FOLDER, ownerFile } from "../../src/layers/postgres/Cluster.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { databasesOf, dropDatabases, onServer } from "./postgres/OnServer.ts"
import { checkStatements, tablesOf } from "./postgres/statements/Check.ts"
import { postgresInDocker, skippedFiles } from "./process/Programs.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the server on which each test file creates its database. */
    databaseServer: string
    /** Start of the names of all databases of the run. */
    databasePrefix: string
    /** Name of the migrated template database. */
    migratedTemplate: string
    /** Folder to which each process writes the statements that it runs. */
    statementFolder: string
  }
}

/** PostgreSQL server of the run. */
interface DatabaseServer {
  readonly url: string
  readonly origin: string
  readonly stop: () => Promise<void>
}

/** Settings without durability, because test data need not survive a crash. */
const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"]

/**
 * Makes a folder for all temporary files of the run. A guardian process deletes it, and ends the processes and clusters
 * that tests have left, after the run: also after a SIGKILL, because its standard input then ends.
 */
const makeRunFolder = () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "partner-api-test-"))
  // The account of the database server must enter it.
  chmodSync(folder, 0o755)
  process.env["TMPDIR"] = folder
  const script = fileURLToPath(new URL("process/guardian.mjs", import.meta.url))
  // In its own session, Ctrl-C does not end it.
  const guardian = spawn(process.execPath, [script, folder, OUTSIDE_FOLDER, basename(ownerFile(""))], {
    detached: true,
    stdio: ["pipe", "inherit", "inherit"]
  })
  const exit = once(guardian, "exit")
  return { folder, close: async () => void (guardian.stdin.end(), await exit) }
}

/** Starts the server with the binaries that npm installed. */
const fromNpm = async (folder: string): Promise<DatabaseServer> => {
  const dataDir = join(folder, "server")
  const scope = Effect.runSync(Scope.make())
  const start = Scope.provide(embeddedPostgres({ dataDir, isDurable: false }), scope)
  const url = Redacted.value(await Effect.runPromise(start))
  // Password checks cost 3 ms per connection: 4,096 rounds of a hash. Tests do not need them.
  await Effect.runPromise(
    onServer(url, "set scram_iterations = 1", `alter role postgres password '${new URL(url).password}'`)
  )
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return { url, origin: "embedded", stop }
}

/** Migrates the template once for all files. PostgreSQL copies it only while no session uses it. */
const makeTemplate = async ({ url }: DatabaseServer, prefix: string) => {
  const name = `${prefix}template`
  await Effect.runPromise(onServer(url, `create database ${name}`))
  const template = new URL(url)
  template.pathname = `/${name}`
  const database = postgres({ url: Redacted.make(template.href), maxConnections: 1, withoutTimeouts: true })
  const migrated = Layer.provideMerge(MigrationsLive, database)
  return { name, tables: await Effect.runPromise(Effect.provide(tablesOf, migrated)) }
}

/** Drops the template and the databases of services that files share. */
const dropAll = ({ url }: DatabaseServer, prefix: string) =>
  Effect.runPromise(Effect.flatMap(databasesOf(url, prefix), (names) => dropDatabases(url, names)))

/** True if each test ran and passed. Only then, every exception for a statement must match. */
const isWholeSuite = ({ vitest }: TestProject) => {
  const ran = new Set(vitest.state.getPaths())
  const files = readdirSync("test", { encoding: "utf8", recursive: true }).filter((path) => path.endsWith(".test.ts"))
  const isEvery = files.every((path) => ran.has(resolve("test", path)))
  return isEvery && vitest.config.testNamePattern === undefined && vitest.state.getCountOfFailedTests() === 0
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Provides PostgreSQL for the run: `TEST_DATABASE_URL`, else a container, else the embedded server. */
export const setup = async (project: TestProject) => {
  const run = makeRunFolder()
  const configuredUrl = process.env["TEST_DATABASE_URL"]
  const server: DatabaseServer =
    configuredUrl !== undefined && configuredUrl !== ""
      ? { url: configuredUrl, origin: "TEST_DATABASE_URL", stop: async () => undefined }
      : ((await postgresInDocker(careless)) ?? (await fromNpm(run.folder)))
  say(`PostgreSQL for tests: ${server.origin}`)
  const prefix = `test_${randomUUID().slice(0, 8)}_`
  const { name: template, tables } = await makeTemplate(server, prefix).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  project.provide("databaseServer", server.url)
  project.provide("databasePrefix", prefix)
  project.provide("migratedTemplate", template)
  project.provide("statementFolder", run.folder)
  const files = project.vitest.state.getPaths().map((path) => ({
    path: relative(project.config.root, path),
    text: readFileSync(path, "utf8")
  }))
  return async () => {
    for (const line of skippedFiles(files)) say(line)
    await dropAll(server, prefix)
    await server.stop()
    const { stale, unpinned } = checkStatements(run.folder, tables, isWholeSuite(project))
    for (const line of [...unpinned, ...stale]) say(line)
    if (unpinned.length > 0) process.exitCode = 1
    await run.close()
  }
}
