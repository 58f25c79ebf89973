import { Effect, Option, Schema, type Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Account, startAs } from "../../src/layers/postgres/Account.ts"
import { portOf } from "../support/webhooks/Receiver.ts"
import { openConnection } from "../bench/database.ts"
import { LOGS } from "./processes.ts"

/** Debian's packages with these programs. */
const INSTALL = "apt-get install patroni etcd-server haproxy postgresql-15"

/** Configuration that operators use too, relative to the bundle in `dist`. */
const configuration = (name: string) => fileURLToPath(new URL(`../deploy/patroni/${name}`, import.meta.url))

const PASSWORD = "soak"

const findProgram = (name: string) =>
  [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/bin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** Folder of the newest PostgreSQL of Debian's packages. */
const findPostgres = () => {
  const packages = "/usr/lib/postgresql"
  return (existsSync(packages) ? readdirSync(packages) : [])
    .map(Number)
    .toSorted((a, b) => b - a)
    .map((version) => join(packages, String(version), "bin"))
    .find((folder) => existsSync(join(folder, "postgres")))
}

/** Finds all programs, or the names of the missing ones. */
export const findPrograms = () => {
  const [patroni, etcd, haproxy] = ["patroni", "etcd", "haproxy"].map(findProgram)
  const postgres = findPostgres()
  if (patroni !== undefined && etcd !== undefined && haproxy !== undefined && postgres !== undefined) {
    return { patroni, etcd, haproxy, postgres }
  }
  const paths = { patroni, etcd, haproxy, "PostgreSQL in /usr/lib/postgresql": postgres }
  const missing = Object.entries(paths).flatMap(([name, path]) => (path === undefined ? [name] : []))
  return `without ${missing.join(", ")} (${INSTALL})`
}

export type FoundPrograms = Exclude<ReturnType<typeof findPrograms>, string>

const postgresId = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)

/** PostgreSQL refuses root. The account must be able to write to `/run/postgresql`, as that of Debian's packages. */
const accountOf = (): Account => {
  if (process.getuid?.() !== 0) return { name: "this account", ids: Option.none() }
  return { name: "postgres", ids: Option.some({ uid: postgresId("-u"), gid: postgresId("-g") }) }
}

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const port = portOf(server)
  server.close()
  await once(server, "close")
  return port
})

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** Sends a signal to a process that may have ended. */
export const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

const stopProgram = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (isOver(child)) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

/** Parent of a process. The name in parentheses may contain spaces. */
const parentOf = (pid: string) => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
  } catch {
    return 0
  }
}

export const childrenOf = (parent: number) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)

const Cluster = Schema.Struct({
  members: Schema.Array(Schema.Struct({ name: Schema.String, role: Schema.String, state: Schema.String }))
})

const decodeCluster = Schema.decodeUnknownPromise(Cluster)

/** How a primary ends. `postmaster`: it and Patroni are killed. `node`: and all sessions. `frozen`: all are stopped. */
export const WAYS = ["node", "postmaster", "frozen"] as const
export type Way = (typeof WAYS)[number]

/** A node: PostgreSQL and its Patroni. */
const makeNode = Effect.fn(function* (
  name: string,
  start: (variables: Record<string, string>) => ChildProcess,
  etcd: number,
  folder: string,
  bin: string
) {
  const [rest, postgres] = [yield* freePort, yield* freePort]
  const data = join(folder, name)
  const variables = {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcd}`,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${rest}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${rest}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${postgres}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgres}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: bin,
    PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
    PATRONI_SUPERUSER_USERNAME: "postgres",
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: "replicator",
    PATRONI_REPLICATION_PASSWORD: PASSWORD
  }
  let patroni = start(variables)
  const postmaster = () => {
    try {
      return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
    } catch {
      return 0
    }
  }
  /** Processes of the node, with their sessions or without. */
  const pids = (withSessions: boolean) => {
    const pid = postmaster()
    return [patroni.pid ?? 0, pid, ...(withSessions && pid !== 0 ? childrenOf(pid) : [])].filter((one) => one !== 0)
  }
  const end = (withSessions: boolean) => pids(withSessions).forEach((pid) => signal(pid, "SIGKILL"))
  yield* Effect.addFinalizer(() => Effect.sync(() => end(true)))
  const stopped: Array<number> = []
  return {
    name,
    rest,
    postgres,
    kill: (way: Way) => {
      if (way !== "frozen") return end(way === "node")
      stopped.push(...pids(true))
      stopped.forEach((pid) => signal(pid, "SIGSTOP"))
    },
    /**
     * Starts the node again. A frozen one is killed first, as a watchdog does: Patroni 3.0.2 would take the lock
     * back from the new primary, whose writes would be lost (patroni/patroni#2689).
     */
    revive: () => {
      stopped.splice(0).forEach((pid) => signal(pid, "SIGKILL"))
      patroni = start(variables)
    },
    isPrimary: Effect.promise(() =>
      fetch(`http://127.0.0.1:${rest}/primary`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status === 200,
        () => false
      )
    ),
    members: Effect.promise(async () => {
      try {
        const response = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal: AbortSignal.timeout(2_000) })
        return (await decodeCluster(await response.json())).members
      } catch {
        return []
      }
    })
  }
})

export type Node = Effect.Success<ReturnType<typeof makeNode>>

const poll = <A>(probe: Effect.Effect<A | undefined>): Effect.Effect<A> =>
  Effect.flatMap(probe, (found) =>
    found === undefined ? Effect.andThen(Effect.sleep("50 millis"), poll(probe)) : Effect.succeed(found)
  )

/** Waits for a condition, for three minutes at most. */
export const waitFor = <A>(what: string, probe: Effect.Effect<A | undefined>): Effect.Effect<A> =>
  Effect.suspend(() => poll(probe)).pipe(
    Effect.timeoutOrElse({ duration: "3 minutes", orElse: () => Effect.die(new Error(`Waited 3 minutes for ${what}`)) })
  )

export interface PatroniCluster {
  readonly nodes: ReadonlyArray<Node>
  /** URL of the database through haproxy. */
  readonly url: string
  /** Waits until one node is the primary and another one its synchronous standby, and returns the primary. */
  readonly synchronous: Effect.Effect<Node>
}

/** Starts etcd, two nodes of Patroni and haproxy on loopback, with an empty database, until the scope ends. */
export const patroniCluster = (programs: FoundPrograms): Effect.Effect<PatroniCluster, never, Scope.Scope> =>
  Effect.gen(function* () {
    const account = accountOf()
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-failover-"))),
      // The last process of a killed node may still write.
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
    )
    Option.map(account.ids, ({ gid, uid }) => chownSync(folder, uid, gid))
    mkdirSync(LOGS, { recursive: true })
    const start = (name: string, program: string, args: ReadonlyArray<string>, variables: Record<string, string>) => {
      const log = openSync(join(LOGS, `${name}.log`), "a")
      const assignments = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`)
      const child = startAs(account, "/usr/bin/env", [...assignments, program, ...args], ["ignore", log, log])
      closeSync(log)
      return child
    }
    const [client, peer, listen] = [yield* freePort, yield* freePort, yield* freePort]
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        start("etcd", programs.etcd, [], {
          ETCD_DATA_DIR: join(folder, "etcd"),
          ETCD_LISTEN_CLIENT_URLS: `http://127.0.0.1:${client}`,
          ETCD_ADVERTISE_CLIENT_URLS: `http://127.0.0.1:${client}`,
          ETCD_LISTEN_PEER_URLS: `http://127.0.0.1:${peer}`,
          ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://127.0.0.1:${peer}`,
          ETCD_INITIAL_CLUSTER: `default=http://127.0.0.1:${peer}`
        })
      ),
      stopProgram
    )
    const nodes = yield* Effect.forEach(["postgres-1", "postgres-2"], (name) =>
      makeNode(
        name,
        (variables) => start(name, programs.patroni, [configuration("patroni.yml")], variables),
        client,
        folder,
        programs.postgres
      )
    )
    const addresses = nodes.flatMap(({ postgres, rest }, index) => [
      [`POSTGRES_${index + 1}`, `127.0.0.1:${postgres}`],
      [`PATRONI_PORT_${index + 1}`, String(rest)]
    ])
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        start("haproxy", programs.haproxy, ["-db", "-f", configuration("haproxy.cfg")], {
          LISTEN: `127.0.0.1:${listen}`,
          ...Object.fromEntries(addresses)
        })
      ),
      stopProgram
    )
    const synchronous = waitFor(
      "a synchronous standby",
      Effect.gen(function* () {
        for (const node of nodes) {
          if (!(yield* node.isPrimary)) continue
          const members = yield* node.members
          const isSafe = members.some(
            ({ role, state }) => role === "sync_standby" && (state === "running" || state === "streaming")
          )
          if (isSafe) return node
        }
        return undefined
      })
    )
    yield* synchronous
    const urlOf = (user: string, database: string) => `postgres://${user}:${PASSWORD}@127.0.0.1:${listen}/${database}`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const db = yield* openConnection(urlOf("postgres", "postgres"))
        yield* Effect.promise(() => db.query(`create role partner_api login password '${PASSWORD}'`))
        yield* Effect.promise(() => db.query("create database partner_api owner partner_api"))
      })
    )
    return { nodes, url: urlOf("partner_api", "partner_api"), synchronous }
  })
