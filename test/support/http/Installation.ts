import { Config, ConfigProvider, Context, Effect, Layer, type Redacted } from "effect"
import { CellServerLive } from "../../../src/CellServer.ts"
import { listen } from "../../../src/http/server/HttpListener.ts"
import { InstallationLive } from "../../../src/layers/cells/Cells.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"

/** The listener of the service, on a free port. */
export const Listening = listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })

/** Databases of an installation. */
export interface InstallationDatabases {
  /** Database of the cell `main`. */
  readonly main: Redacted.Redacted
  /** Settings that name the other cells. */
  readonly settings: Readonly<Record<string, string>>
}

/** Settings that name the cells of the service under test. There are none on one database. */
export const CellVariables = Context.Reference<InstallationDatabases["settings"]>("test/CellVariables", {
  defaultValue: () => ({})
})

/** A server on the databases of an installation, with the services of `main`. */
export const installationOn = ({ main, settings }: InstallationDatabases) =>
  CellServerLive.pipe(
    Layer.provideMerge(Listening),
    Layer.provideMerge(InstallationLive),
    Layer.provideMerge(postgres({ url: main, maxConnections: 10 })),
    Layer.provide(
      ConfigProvider.layerAdd(Effect.succeed(ConfigProvider.fromEnv({ env: settings, preserveEmptyStrings: true })), {
        asPrimary: true
      })
    ),
    Layer.provideMerge(Layer.succeed(CellVariables, settings))
  )
