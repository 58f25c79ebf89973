import { assert, it } from "@effect/vitest"
import { Effect, Option, Schema, Scope } from "effect"
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { partnerApi } from "../../src/cli/Program.ts"
import { findCluster } from "../../src/layers/postgres/Cluster.ts"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { findServer } from "../../src/layers/postgres/Postmaster.ts"
import { dataFolder } from "../support/postgres/DataFolder.ts"
import { runInProcess } from "../support/process/Cli.ts"
import { startServer } from "../support/process/Process.ts"

const Clusters = Schema.fromJsonString(
  Schema.Struct({
    clusters: Schema.Array(
      Schema.Struct({
        cluster: Schema.String,
        dataFolder: Schema.NullOr(Schema.String),
        state: Schema.String,
        pid: Schema.NullOr(Schema.Number)
      })
    )
  })
)

const command = (dataDir: string, ...args: ReadonlyArray<string>) =>
  runInProcess(partnerApi(["clusters", ...args]), { DATA_DIR: dataDir })

/** Entry of a cluster in `clusters list`. */
const listed = (dataDir: string, home: string) =>
  Effect.map(command(dataDir, "list", "--json"), ({ stderr, stdout }) => {
    assert.strictEqual(stderr, "")
    return Schema.decodeSync(Clusters)(stdout).clusters.find(({ cluster }) => cluster === home)
  })

const runningServer = (dataDir: string) => Effect.map(findServer(dataDir), Option.getOrThrow)

/** True if the port accepts connections. The process id of an ended server can stay until its parent collects it. */
const isListening = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    const end = (isOpen: boolean) => {
      socket.destroy()
      resume(Effect.succeed(isOpen))
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })

/** A data folder that only root can enter, so that its cluster is elsewhere. */
const privateFolder = Effect.tap(dataFolder, (dataDir) => Effect.sync(() => chmodSync(dirname(dataDir), 0o700)))

const isRoot = process.getuid?.() === 0

it.live("clusters list shows the cluster of DATA_DIR and the process id of its running server", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    assert.isUndefined(yield* listed(dataDir, join(dataDir, "postgres")))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* embeddedPostgres({ dataDir, isDurable: false })
        const { home: cluster } = findCluster(dataDir)
        const { pid } = yield* runningServer(dataDir)
        assert.deepStrictEqual(yield* listed(dataDir, cluster), { cluster, dataFolder: dataDir, state: "used", pid })
      })
    )
    assert.isNull((yield* listed(dataDir, findCluster(dataDir).home))?.pid)
  })
)

it.live("clusters delete refuses a folder that is no cluster outside a data folder", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    mkdirSync(dataDir)
    const folders = ["/", "/var/lib/partner-api", "/var/lib/partner-api/", "/var/lib/partner-api/..", dirname(dataDir)]
    for (const folder of folders) {
      const { code, stderr } = yield* command(dataDir, "delete", folder)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^partner-api: \S+ is not deleted: it is no cluster in [^\n]*clusters list\n$/)
    }
    assert.isTrue(existsSync(dataDir))
  })
)

it.live.skipIf(!isRoot)("clusters delete refuses a cluster that has a data folder or a user", () =>
  Effect.gen(function* () {
    const dataDir = yield* privateFolder
    const using = yield* Scope.make()
    yield* Scope.provide(embeddedPostgres({ dataDir, isDurable: false }), using)
    const { home } = findCluster(dataDir)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true, force: true })))
    yield* Effect.addFinalizer((exit) => Scope.close(using, exit))

    const used = yield* command(dataDir, "delete", home)
    assert.strictEqual(used.code, 1)
    assert.include(used.stderr, "its data folder still exists")

    rmSync(dataDir, { recursive: true })
    assert.strictEqual((yield* listed(dataDir, home))?.state, "abandoned")
    const inUse = yield* command(dataDir, "delete", home)
    assert.strictEqual(inUse.code, 1)
    assert.match(inUse.stderr, /a process uses its server \(\d+\); stop that process first/)
    assert.isTrue(existsSync(join(home, "data/PG_VERSION")))
  })
)

it.live.skipIf(!isRoot)("clusters delete removes a cluster whose data folder is gone, and stops its server", () =>
  Effect.gen(function* () {
    const dataDir = yield* privateFolder
    const server = yield* startServer({ DATA_DIR: dataDir })
    const { home } = findCluster(dataDir)
    const { pid, port } = yield* runningServer(dataDir)
    assert.deepStrictEqual(yield* listed(dataDir, home), { cluster: home, dataFolder: dataDir, state: "used", pid })
    server.kill("SIGKILL")
    yield* server.ended
    rmSync(dirname(dataDir), { recursive: true })

    assert.isTrue(yield* isListening(port))
    const { code, stderr, stdout } = yield* command(dataDir, "delete", home, "--json")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.deepStrictEqual(JSON.parse(stdout), { cluster: home, deleted: true })
    assert.isFalse(yield* isListening(port))
    assert.isFalse(existsSync(home))
    assert.isUndefined(yield* listed(dataDir, home))
  })
)
