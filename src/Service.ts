import { Config, Console, Deferred, Effect, Layer, Option } from "effect"
import { Health } from "./domain/Health.ts"
import { openDemo } from "./layers/demo/Demo.ts"
import { HousekeepingLive } from "./layers/Housekeeping.ts"
import { accessLogLayer } from "./http/server/AccessLog.ts"
import { parseTrustedProxies, TrustedProxies, trustNone } from "./http/server/ClientAddress.ts"
import { baseUrl, listen } from "./http/server/HttpListener.ts"
import { PublicUrl } from "./http/headers/Origin.ts"
import { DatabaseLive } from "./layers/Database.ts"
import { DomainLive } from "./layers/Domain.ts"
import { LogFormat, LoggingLive } from "./layers/Logging.ts"
import { invalidSetting, optionalString } from "./layers/Settings.ts"
import { configuredKeys } from "./layers/webhooks/SecretKeys.ts"
import { TracingLive } from "./layers/telemetry/Tracing.ts"
import { webhookWorker } from "./layers/webhooks/Worker.ts"
import { webhookWorkers } from "./layers/webhooks/WorkerSettings.ts"
import { publicUrl } from "./layers/PublicUrl.ts"
import { jobRunner } from "./layers/jobs/JobRunner.ts"
import { jobRunners } from "./layers/jobs/RunnerSettings.ts"
import { ServerLive } from "./Server.ts"
import { reportFailure } from "./Startup.ts"

const Services = DomainLive.pipe(Layer.provideMerge(DatabaseLive))

/** Parses a port. Port 0 selects a free one. */
const parsePort = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Effect.succeed(Number(text))
    : Effect.fail(invalidSetting("PORT", `Expected a port from 0 to 65535 but received "${text}"`))

const address = Config.all({
  host: Config.map(
    optionalString("HOST"),
    Option.getOrElse(() => "127.0.0.1")
  ),
  port: Config.String("PORT").pipe(Config.mapEffect(parsePort), Config.withDefault(3000))
})

/** Proxies whose forwarding headers are trusted. */
const trustedProxies = Config.String("TRUSTED_PROXIES").pipe(
  Config.mapEffect((text) =>
    Effect.mapError(Effect.fromResult(parseTrustedProxies(text)), ({ message }) =>
      invalidSetting("TRUSTED_PROXIES", message)
    )
  ),
  Config.withDefault(trustNone)
)

/** Reports the process as not ready until `started` is done. */
const makeReadiness = (started: Deferred.Deferred<void>) =>
  Layer.effect(
    Health,
    Effect.map(Health, ({ isReady }) =>
      Health.of({
        isReady: Effect.flatMap(Deferred.isDone(started), (isStarted) => (isStarted ? isReady : Effect.succeed(false)))
      })
    )
  )

/**
 * Opens the demo store, completes `started` and prints the addresses and a first request. With LOG_FORMAT=json they are
 * logged, so that every line of output is JSON.
 */
const announce = Effect.fnUntraced(function* (started: Deferred.Deferred<void>) {
  const printText = (yield* LogFormat) === "json" ? Effect.logInfo : Console.log
  const base = yield* baseUrl
  const demo = yield* openDemo(base)
  yield* Deferred.succeed(started, undefined)
  yield* printText(
    `Partner API  ${base}/api/platform/v1\nReference    ${base}/docs\nDashboard    ${base}/dashboard\nDevelopers   ${base}/developers`
  )
  if (Option.isSome(demo)) {
    const { accessToken, merchantEmail, merchantPassword } = demo.value
    yield* printText(`\nSign in as ${merchantEmail} with ${merchantPassword}`)
    yield* printText(
      `\nTry it:\ncurl -H "Authorization: Bearer ${accessToken}" "${base}/api/platform/v1/products?limit=2"`
    )
  }
})

/** The server. All settings are read before it listens or prints, so an invalid setting is the only output. */
const Server = Layer.unwrap(
  Effect.map(
    Effect.all({
      address,
      format: LogFormat,
      keys: configuredKeys,
      publicUrl,
      runners: jobRunners,
      started: Deferred.make<void>(),
      trustedProxies,
      workers: webhookWorkers
    }),
    ({ address, format, publicUrl, runners, started, trustedProxies, workers }) =>
      Layer.mergeAll(
        Layer.provide(ServerLive, makeReadiness(started)),
        webhookWorker(workers),
        jobRunner(runners),
        HousekeepingLive,
        Layer.effectDiscard(announce(started))
      ).pipe(
        Layer.provide(listen(Config.succeed(address))),
        Layer.provide(accessLogLayer(process.stdout, format)),
        Layer.provide(Layer.succeed(TrustedProxies, trustedProxies)),
        Layer.provide(Layer.succeed(PublicUrl, publicUrl)),
        Layer.provide(Services),
        Layer.provide(LoggingLive),
        Layer.provide(TracingLive)
      )
  )
)

/** Runs the service until it is interrupted. A failure is printed in one line. */
export const service = reportFailure(Layer.launch(Server))
