import { Effect, Exit, Redacted, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { embeddedPostgres } from "../../src/layers/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the server on which each test file makes a database of its own. */
    databaseServer: string
  }
}

/** A server for the whole run. */
interface DatabaseServer {
  readonly url: string
  readonly origin: string
  readonly stop: () => Promise<void>
}

const image = "postgres:18"

/** Nothing here need outlive a crash. */
const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"]

/** From a Docker engine; undefined where none answers, or where it cannot give us the image (said in a line then). */
const fromDocker = async (): Promise<DatabaseServer | undefined> => {
  // Ryuk removes containers of runs that died. It is one more image to pull, and we stop our only container ourselves.
  process.env["TESTCONTAINERS_RYUK_DISABLED"] ??= "true"
  const { PostgreSqlContainer } = await import("@testcontainers/postgresql")
  try {
    const container = await new PostgreSqlContainer(image)
      .withStartupTimeout(60_000)
      .withCommand(["postgres", ...careless.flatMap((setting) => ["-c", setting])])
      .start()
    const stop = async () => void (await container.stop())
    return { url: container.getConnectionUri(), origin: `Docker (${image})`, stop }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!reason.includes("container runtime")) say(`Docker answers but cannot run ${image}: ${reason.trim()}`)
    return undefined
  }
}

/** From the binaries npm installed, in a folder that goes with the run. */
const fromNpm = async (): Promise<DatabaseServer> => {
  const dataDir = join(tmpdir(), `partner-api-test-${randomUUID()}`)
  const scope = Effect.runSync(Scope.make())
  const start = Scope.extend(embeddedPostgres({ dataDir, isDurable: false }), scope)
  const url = Redacted.value(await Effect.runPromise(start))
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(dataDir, { recursive: true, force: true })
  }
  return { url, origin: "embedded", stop }
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Gives the run one PostgreSQL: `TEST_DATABASE_URL`, else a container, else the embedded one. */
export const setup = async (project: TestProject) => {
  const given = process.env["TEST_DATABASE_URL"]
  const server: DatabaseServer =
    given !== undefined && given !== ""
      ? { url: given, origin: "TEST_DATABASE_URL", stop: async () => undefined }
      : ((await fromDocker()) ?? (await fromNpm()))
  say(`PostgreSQL for tests: ${server.origin}`)
  project.provide("databaseServer", server.url)
  return server.stop
}
