import { Config, Deferred, Duration, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { Health } from "./domain/Health.ts"
import { release } from "./domain/Release.ts"
import { openDemo } from "./layers/demo/Demo.ts"
import { HousekeepingLive } from "./layers/Housekeeping.ts"
import { accessLogLayer } from "./http/server/AccessLog.ts"
import { parseTrustedProxies, TrustedProxies, trustNone } from "./http/server/ClientAddress.ts"
import { baseUrl, HttpListener, listen } from "./http/server/HttpListener.ts"
import { managementServer } from "./http/server/Management.ts"
import { PublicUrl } from "./http/headers/Origin.ts"
import { awaitSchema, ProcessDatabaseLive } from "./layers/Database.ts"
import { databaseSettings, isDemo, migratesOnStart } from "./layers/DatabaseConfig.ts"
import { InstallationLive } from "./layers/cells/Cells.ts"
import { cellSettings } from "./layers/cells/CellSettings.ts"
import { inEveryCell } from "./layers/cells/CellWorkers.ts"
import { ProcessHealth } from "./layers/cells/ProcessHealth.ts"
import { limitSettings } from "./layers/LimitSettings.ts"
import { LogFormat, LoggingLive, MinimumLevel, printNotice } from "./layers/Logging.ts"
import { countOrDefault, host, invalidSetting, managementAddress, port } from "./layers/Settings.ts"
import { allowedHosts } from "./layers/webhooks/AllowedHosts.ts"
import { s3Settings } from "./layers/media/ObjectStorage.ts"
import { configuredKeys } from "./layers/webhooks/SecretKeys.ts"
import { ProcessMetrics } from "./layers/telemetry/ProcessMetrics.ts"
import { otlpProtocol, TelemetryLive } from "./layers/telemetry/Telemetry.ts"
import { webhookWorker } from "./layers/webhooks/Worker.ts"
import { webhookWorkers } from "./layers/webhooks/WorkerSettings.ts"
import { publicUrl } from "./layers/PublicUrl.ts"
import { jobRunner } from "./layers/jobs/JobRunner.ts"
import { jobRunners } from "./layers/jobs/RunnerSettings.ts"
import { CellServerLive } from "./CellServer.ts"
import { reportFailure } from "./Startup.ts"

/** Longest drain. Orchestrators kill a process much earlier. */
const MAX_DRAIN_SECONDS = 300

const Services = InstallationLive.pipe(Layer.provideMerge(ProcessDatabaseLive))

const address = Config.all({ host, port: Config.withDefault(port("PORT"), 3000) })

/** Proxies whose forwarding headers are trusted. */
const trustedProxies = Config.String("TRUSTED_PROXIES").pipe(
  Config.mapEffect((text) =>
    Effect.mapError(Effect.fromResult(parseTrustedProxies(text)), ({ message }) =>
      invalidSetting("TRUSTED_PROXIES", message)
    )
  ),
  Config.withDefault(trustNone)
)

/** Seconds between the signal to stop and the end of the listener, for load balancers to notice. */
const drainSeconds = countOrDefault("DRAIN_SECONDS", 0, MAX_DRAIN_SECONDS, "stops at once")

/** Settings of the server. */
export const serverSettings = {
  address,
  allowed: allowedHosts,
  cells: cellSettings,
  database: databaseSettings,
  demo: isDemo,
  drainSeconds,
  format: LogFormat,
  keys: configuredKeys,
  level: MinimumLevel,
  limits: limitSettings,
  management: managementAddress,
  migrates: migratesOnStart,
  protocol: otlpProtocol,
  publicUrl,
  runners: jobRunners,
  storage: s3Settings,
  trustedProxies,
  workers: webhookWorkers
}

/** Moments of a process: it is ready between them. */
interface Lifetime {
  readonly started: Deferred.Deferred<void>
  readonly stopping: Deferred.Deferred<void>
}

/** Reports the process as not ready before `started` and after `stopping`. */
const makeReadiness = ({ started, stopping }: Lifetime) =>
  Layer.effect(
    Health,
    Effect.map(Health, ({ isReady }) =>
      Health.of({
        isReady: Effect.gen(function* () {
          if (!(yield* Deferred.isDone(started)) || (yield* Deferred.isDone(stopping))) return false
          return yield* isReady
        })
      })
    )
  )

/** Serves on for some seconds after the signal to stop, while the process reports that it is not ready. */
const drain = ({ stopping }: Lifetime, seconds: number) =>
  Layer.effectDiscard(
    Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Deferred.succeed(stopping, undefined)
        if (seconds === 0) return
        ;(yield* HttpListener).drain()
        yield* Effect.logInfo(`Not ready any more; stops listening in ${seconds} seconds`)
        yield* Effect.sleep(Duration.seconds(seconds))
      })
    )
  )

/**
 * Opens the demo store, completes `started` and prints the addresses, the version and a first request. With LOG_FORMAT=json they are
 * logged, so that every line of output is JSON.
 */
const announce = Effect.fnUntraced(function* (started: Deferred.Deferred<void>) {
  const base = yield* baseUrl
  const demo = yield* openDemo(base)
  yield* Deferred.succeed(started, undefined)
  yield* printNotice(
    `Partner API  ${base}/api/platform/v1\nReference    ${base}/docs\nDashboard    ${base}/dashboard\nDevelopers   ${base}/developers\nVersion      ${release}`
  )
  if (Option.isSome(demo)) {
    const { accessToken, merchantEmail, merchantPassword } = demo.value
    yield* printNotice(`\nSign in as ${merchantEmail} with ${merchantPassword}`)
    yield* printNotice(
      `\nTry it:\ncurl -H "Authorization: Bearer ${accessToken}" "${base}/api/platform/v1/products?limit=2"`
    )
  }
})

/** The server. All settings are read before it listens or prints, so an invalid setting is the only output. */
const Server = Layer.unwrap(
  Effect.map(
    Effect.all({ ...serverSettings, started: Deferred.make<void>(), stopping: Deferred.make<void>() }),
    ({ address, drainSeconds, format, management, publicUrl, runners, started, stopping, trustedProxies, workers }) => {
      const lifetime = { started, stopping }
      const listeners = Layer.provide(
        Layer.merge(CellServerLive, managementServer(management)),
        Layer.provide(makeReadiness(lifetime), ProcessHealth)
      )
      const work = Layer.mergeAll(webhookWorker(workers), jobRunner(runners), HousekeepingLive)
      const background = Layer.mergeAll(work, inEveryCell(work), Layer.effectDiscard(announce(started))).pipe(
        Layer.provide(Layer.effectDiscard(awaitSchema))
      )
      // Built last, and therefore the first to end.
      return drain(lifetime, drainSeconds).pipe(
        Layer.provideMerge(Layer.mergeAll(listeners, background, ProcessMetrics)),
        Layer.provide(listen(Config.succeed(address))),
        Layer.provide(accessLogLayer(process.stdout, format)),
        Layer.provide(Layer.succeed(TrustedProxies, trustedProxies)),
        Layer.provide(Layer.succeed(PublicUrl, publicUrl)),
        Layer.provide(Services),
        Layer.provide(Layer.provide(TelemetryLive, FetchHttpClient.layer)),
        Layer.provide(LoggingLive)
      )
    }
  )
)

/** Runs the service until it is interrupted. A failure is printed in one line. */
export const service = reportFailure(Layer.launch(Server))
