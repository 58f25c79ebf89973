import { Effect, Layer, Redacted } from "effect"
import { appendFileSync, chownSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { createBackup } from "../../../src/layers/postgres/Backups.ts"
import { findCluster } from "../../../src/layers/postgres/Cluster.ts"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { stopServer } from "../../../src/layers/postgres/Postmaster.ts"
import { restoreBackup } from "../../../src/layers/postgres/Restores.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { carelessDataFolder, dataFolder } from "./DataFolder.ts"
import { onServer } from "./OnServer.ts"

const noProgress = () => Effect.void

/** A migrated PostgreSQL, and a standby that replays its commits `delay` later, for a role that can only read. */
export const primaryAndStandby = Effect.fn(function* (delay: string) {
  const [dataDir, standbyDir, other] = [yield* carelessDataFolder, yield* dataFolder, yield* dataFolder]
  const primary = yield* embeddedPostgres({ dataDir })
  const database = postgres({ url: primary, maxConnections: 2, withoutTimeouts: true })
  yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
  yield* onServer(
    Redacted.value(primary),
    "create role reader login password 'reader'",
    "grant pg_read_all_data to reader"
  )
  const backup = join(other, "backup")
  yield* createBackup(dataDir, backup, noProgress)
  yield* restoreBackup(backup, standbyDir, noProgress)

  const cluster = findCluster(standbyDir)
  const { hostname, password, port } = new URL(Redacted.value(primary))
  const signal = join(cluster.data, "standby.signal")
  writeFileSync(signal, "")
  const { gid, uid } = statSync(join(cluster.data, "PG_VERSION"))
  chownSync(signal, uid, gid)
  appendFileSync(
    join(cluster.data, "postgresql.conf"),
    `primary_conninfo = 'host=${hostname} port=${port} user=postgres password=${password}'\nrecovery_min_apply_delay = '${delay}'\n`
  )
  const standby = yield* embeddedPostgres({ dataDir: standbyDir })
  const reader = new URL(Redacted.value(standby))
  Object.assign(reader, { username: "reader", password: "reader" })
  return {
    primary: Redacted.value(primary),
    standby: Redacted.value(standby),
    readUrl: reader.href,
    stopStandby: stopServer(cluster)
  }
}, Effect.orDie)
