import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { partnerApi } from "../../src/cli/Program.ts"
import { findCluster } from "../../src/layers/postgres/Cluster.ts"
import { carelessDataFolder, dataFolder } from "../support/postgres/DataFolder.ts"
import { runInProcess } from "../support/process/Cli.ts"
import { startNode, waitUntil } from "../support/process/Process.ts"

const command = (dataDir: string, ...args: ReadonlyArray<string>) =>
  runInProcess(partnerApi(args), { DATA_DIR: dataDir })

const succeeds = (dataDir: string, ...args: ReadonlyArray<string>) =>
  Effect.map(command(dataDir, ...args), ({ code, stderr, stdout }) => {
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    return stdout
  })

const fails = Effect.fn(function* (message: RegExp, dataDir: string, ...args: ReadonlyArray<string>) {
  const { code, stderr } = yield* command(dataDir, ...args)
  assert.strictEqual(code, 1)
  assert.match(stderr, message)
})

/** A data folder with a database and an object, and a backup of it. All tests use it, because it takes seconds. */
class Backup extends Context.Service<Backup>()("test/Backup", {
  make: Effect.gen(function* () {
    const dataDir = yield* carelessDataFolder
    const backup = join(dirname(dataDir), "backup")
    yield* succeeds(dataDir, "migrate")
    mkdirSync(join(dataDir, "media/ab"), { recursive: true })
    writeFileSync(join(dataDir, "media/ab/abcd"), "bytes")
    writeFileSync(join(dataDir, "media/ab/abcd.unfinished"), "by")
    return { dataDir, backup, output: yield* succeeds(dataDir, "backup", "create", backup) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const interruptAt = Effect.fn(function* (sign: string, name: string, backup: string, dataDir: string) {
  const running = yield* startNode("cli", ["backup", name, backup], { DATA_DIR: dataDir })
  yield* waitUntil(
    Effect.sync(() => existsSync(sign)),
    (isThere) => isThere
  )
  running.kill("SIGINT")
  const { code, stderr } = yield* running.ended
  assert.strictEqual(code, 130, stderr)
  assert.match(stderr, /^Stopped/)
})

layer(Backup.layer, { excludeTestServices: true, timeout: "3 minutes" })((it) => {
  it.effect("a backup is private, names its content, starts and restores into a new folder", () =>
    Effect.gen(function* () {
      const { backup, dataDir, output } = yield* Backup
      assert.match(output, /migration: \d{4}_/)
      assert.deepStrictEqual(readdirSync(dirname(backup)).toSorted(), ["backup", "data"])
      assert.strictEqual(statSync(backup).mode & 0o777, 0o700)
      assert.isFalse(existsSync(join(backup, "media/ab/abcd.unfinished")))
      assert.match(yield* succeeds(dataDir, "backup", "verify", backup), /stores: +0/)

      const restored = yield* dataFolder
      yield* succeeds(restored, "backup", "restore", backup)
      // The cluster is elsewhere if the account of the server cannot enter the programs that npm installed.
      const names = readdirSync(restored).map((name) => name.replace(/\.location$/, ""))
      assert.sameMembers(names, ["media", "postgres"])
      assert.strictEqual(yield* succeeds(restored, "stores", "list"), "No stores\n")
    })
  )

  it.effect.skipIf(process.getuid?.() !== 0)("a backup restores into a folder that only root can enter", () =>
    Effect.gen(function* () {
      const { backup } = yield* Backup
      const restored = yield* dataFolder
      chmodSync(dirname(restored), 0o700)
      yield* succeeds(restored, "backup", "restore", backup)
      assert.isTrue(findCluster(restored).isOutsideDataDir)
      assert.strictEqual(yield* succeeds(restored, "stores", "list"), "No stores\n")
    })
  )

  it.effect("backup commands refuse folders in use, folders without a database, and DATABASE_URL", () =>
    Effect.gen(function* () {
      const { backup, dataDir } = yield* Backup
      yield* fails(/holds no embedded database; set DATA_DIR/, dirname(dataDir), "backup", "create", `${backup}2`)
      yield* fails(/exists already; name a new folder/, dataDir, "backup", "create", backup)
      yield* fails(
        /is not empty \(media\); set DATA_DIR to a new or empty folder/,
        dataDir,
        "backup",
        "restore",
        backup
      )
      const external = { DATA_DIR: dataDir, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
      for (const name of ["create", "restore"]) {
        const { code, stderr } = yield* runInProcess(partnerApi(["backup", name, backup]), external)
        assert.strictEqual(code, 1)
        assert.match(stderr, /DATABASE_URL is set, and this command only handles the embedded database/)
      }
    })
  )

  it.effect("Ctrl-C during a backup or a restore leaves nothing behind", () =>
    Effect.gen(function* () {
      const { backup, dataDir } = yield* Backup
      const restored = join(dirname(dataDir), "restored")
      const second = `${backup}2`
      yield* interruptAt(join(`${second}.part`, "postgres/data/base"), "create", second, dataDir)
      yield* interruptAt(join(restored, "restore.part"), "restore", backup, restored)
      assert.deepStrictEqual(readdirSync(dirname(backup)).toSorted(), ["backup", "data"])
    })
  )

  it.effect("verify and restore refuse a damaged or incomplete backup, and restore leaves nothing behind", () =>
    Effect.gen(function* () {
      const { backup, dataDir } = yield* Backup
      const restored = join(dirname(dataDir), "restored")
      const refused = Effect.fn(function* (message: RegExp) {
        yield* fails(message, dataDir, "backup", "verify", backup)
        yield* fails(message, restored, "backup", "restore", backup)
        assert.isFalse(existsSync(restored))
      })
      const control = join(backup, "postgres/data/global/pg_control")
      appendFileSync(control, "x")
      yield* refused(/global\/pg_control of the backup is damaged; use another backup/)
      rmSync(control)
      yield* refused(/global\/pg_control of the backup is missing/)
      rmSync(join(backup, "manifest.json"))
      yield* refused(/is no complete backup: manifest\.json/)
    })
  )
})

it.live("a folder with an unfinished restore is refused until it is emptied", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    mkdirSync(join(dataDir, "restore.part"), { recursive: true })
    yield* fails(/holds an unfinished restore; wait for its end, or empty the folder/, dataDir, "stores", "list")
  })
)
