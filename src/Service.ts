import { Config, Console, Deferred, Effect, Layer, Option } from "effect"
import { Health } from "./domain/Health.ts"
import { openDemo } from "./layers/demo/Demo.ts"
import { HousekeepingLive } from "./layers/Housekeeping.ts"
import { accessLogTo } from "./http/AccessLog.ts"
import { parseTrustedProxies, TrustedProxies, trustNone } from "./http/ClientAddress.ts"
import { baseUrl, listen } from "./http/Listener.ts"
import { publicOrigin, PublicUrl } from "./http/Origin.ts"
import { DatabaseLive } from "./layers/Database.ts"
import { DomainLive } from "./layers/Domain.ts"
import { LogFormat, LoggingLive } from "./layers/Logging.ts"
import { invalidSetting, textIfAny } from "./layers/Settings.ts"
import { givenKeys } from "./layers/webhooks/SecretKeys.ts"
import { TracingLive } from "./layers/telemetry/Tracing.ts"
import { webhookWorker } from "./layers/webhooks/Worker.ts"
import { webhookWorkers } from "./layers/webhooks/Workers.ts"
import { ServerLive } from "./Server.ts"
import { exitOnFailure } from "./Startup.ts"

const Services = DomainLive.pipe(Layer.provideMerge(DatabaseLive))

/** 0 takes any free port. */
const port = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Effect.succeed(Number(text))
    : Effect.fail(invalidSetting("PORT", `Expected a port from 0 to 65535 but received "${text}"`))

const address = Config.all({
  host: Config.map(
    textIfAny("HOST"),
    Option.getOrElse(() => "127.0.0.1")
  ),
  port: Config.String("PORT").pipe(Config.mapEffect(port), Config.withDefault(3000))
})

const publicUrl = (text: string) => {
  const message = `Expected a URL as in https://partners.example.com, without path, but received "${text}"`
  return Effect.mapError(Effect.fromNullishOr(publicOrigin(text)), () => invalidSetting("PUBLIC_URL", message))
}

/** Where clients and merchants reach the service: where it listens, if nothing is said. */
const outside = Config.mapEffect(
  textIfAny("PUBLIC_URL"),
  Option.match({ onNone: () => Effect.succeed(undefined), onSome: publicUrl })
)

/** The proxies that name the addresses of clients. */
const trustedProxies = Config.String("TRUSTED_PROXIES").pipe(
  Config.mapEffect((text) =>
    Effect.mapError(Effect.fromResult(parseTrustedProxies(text)), ({ message }) =>
      invalidSetting("TRUSTED_PROXIES", message)
    )
  ),
  Config.withDefault(trustNone)
)

/** Answers as not ready until `started` is done. */
const readyAfter = (started: Deferred.Deferred<void>) =>
  Layer.effect(
    Health,
    Effect.map(Health, ({ isReady }) =>
      Health.of({
        isReady: Effect.flatMap(Deferred.isDone(started), (isStarted) => (isStarted ? isReady : Effect.succeed(false)))
      })
    )
  )

/**
 * Opens the demo store, then completes `started` and prints the addresses and a first request. With a log in JSON every
 * line is JSON.
 */
const greeting = Effect.fnUntraced(function* (started: Deferred.Deferred<void>) {
  const say = (yield* LogFormat) === "json" ? Effect.logInfo : Console.log
  const base = yield* baseUrl
  const demo = yield* openDemo(base)
  yield* Deferred.succeed(started, undefined)
  yield* say(
    `Partner API  ${base}/api/platform/v1\nReference    ${base}/docs\nDashboard    ${base}/dashboard\nDevelopers   ${base}/developers`
  )
  if (Option.isSome(demo)) {
    const { accessToken, merchantEmail, merchantPassword } = demo.value
    yield* say(`\nSign in as ${merchantEmail} with ${merchantPassword}`)
    yield* say(`\nTry it:\ncurl -H "Authorization: Bearer ${accessToken}" "${base}/api/platform/v1/products?limit=2"`)
  }
})

/** What is configured is read before anything listens or is printed, so that what is wrong is all that is said. */
const Server = Layer.unwrap(
  Effect.map(
    Effect.all({
      address,
      format: LogFormat,
      keys: givenKeys,
      outside,
      started: Deferred.make<void>(),
      trustedProxies,
      workers: webhookWorkers
    }),
    ({ address, format, outside, started, trustedProxies, workers }) =>
      Layer.mergeAll(
        Layer.provide(ServerLive, readyAfter(started)),
        webhookWorker(workers),
        HousekeepingLive,
        Layer.effectDiscard(greeting(started))
      ).pipe(
        Layer.provide(listen(Config.succeed(address))),
        Layer.provide(accessLogTo(process.stdout, format)),
        Layer.provide(Layer.succeed(TrustedProxies, trustedProxies)),
        Layer.provide(Layer.succeed(PublicUrl, outside)),
        Layer.provide(Services),
        Layer.provide(LoggingLive),
        Layer.provide(TracingLive)
      )
  )
)

/** The service, until it is stopped; what stands in the way of it is said in one line. */
export const service = exitOnFailure(Layer.launch(Server))
