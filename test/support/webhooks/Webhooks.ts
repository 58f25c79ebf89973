import { Effect, Layer, Option, Redacted, References, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { type Installation } from "../../../src/domain/access/Installations.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { EventId, EventKind } from "../../../src/domain/Events.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { webhookWorker } from "../../../src/layers/webhooks/Worker.ts"
import { IsolatedApiTest, baseUrl, install, makeApp, makeClient, makeStore } from "../http/Api.ts"
import { type Respond, receiver, type Received, type Receiver } from "./Receiver.ts"
import { waitUntil } from "../process/Process.ts"
import { sharedByFiles } from "../SharedByFiles.ts"
import { installing } from "../data/Writes.ts"

/** The whole service with a webhook worker. Logs below "Warn" are off, because endpoints fail on purpose. */
export const IsolatedDeliveringApi = webhookWorker(64).pipe(
  Layer.provideMerge(IsolatedApiTest),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
)

/** {@link IsolatedDeliveringApi}, built once for all files of a worker. */
export const DeliveringApi = sharedByFiles(IsolatedDeliveringApi)

export interface Subscriber {
  readonly appId: AppId
  readonly secret: string
}

/** Creates an app with a webhook. */
export const subscriber = Effect.fn(function* (
  { url }: Pick<Receiver, "url">,
  {
    kinds = EventKind.literals,
    scopes = Scope.literals
  }: { readonly kinds?: ReadonlyArray<EventKind>; readonly scopes?: ReadonlyArray<Scope> } = {}
) {
  const { subscribe } = yield* Webhooks
  const appId = yield* makeApp({ scopes })
  const secret = yield* subscribe(appId, { url, kinds })
  const created: Subscriber = { appId, secret: Redacted.value(Option.getOrThrow(secret)) }
  return created
})

/** Installs an app on a store and returns a client. */
export const installApp = Effect.fn(function* (
  storeId: StoreId,
  appId: AppId,
  scopes: ReadonlyArray<Scope> = Scope.literals
) {
  const { install } = yield* installing
  const tokens = yield* Tokens
  const installation: Installation = yield* install({ storeId, appId, ...ALL_GRANTS, scopes })
  const { token } = yield* tokens.issue(installation)
  return { installation, client: makeClient(yield* baseUrl, Redacted.value(token)) }
})

/** Waits until `n` requests have arrived, and returns them. */
export const waitForRequests = ({ received }: Pick<Receiver, "received">, n: number) =>
  waitUntil(
    Effect.sync(() => received),
    (all) => all.length >= n
  )

const Body = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    kind: EventKind,
    occurredAt: Schema.String,
    storeId: Schema.String,
    hops: Schema.Int,
    data: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
  })
)

/** Decodes the event of a delivery. */
export const eventOf = ({ body }: Pick<Received, "body">) => Schema.decodeSync(Body)(body)

const Row = Schema.Struct({
  eventId: Schema.toType(EventId),
  outcome: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  failures: Schema.Int,
  leased: Schema.Boolean,
  /** Seconds from the start of the last attempt to the next. */
  wait: Schema.NullOr(Schema.Number)
})
const rowsOf = Schema.decodeUnknownSync(Schema.Array(Row))

/** Deliveries of an app, oldest event first. */
export const deliveriesOf = (appId: AppId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`
        select
          event_id as "eventId", outcome, attempts, failures, lease is not null as leased,
          extract(epoch from next_at - (
            select max(started_at) from delivery_attempts a where (a.store_id, a.event_id) = (d.store_id, d.event_id)
          ))::float8 as wait
        from deliveries d where app_id = ${appId} order by event_id
      `,
      rowsOf
    )
  )

/** Waits until the only delivery of an app has this number of recorded attempts. */
export const waitForAttempts = (appId: AppId, attempts: number) =>
  Effect.map(
    waitUntil(deliveriesOf(appId), ([one]) => one?.attempts === attempts && !one.leased),
    ([one]) => one
  )

/** Makes pending deliveries due now. */
export const makeDue = (appId: AppId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`update deliveries set next_at = now() where app_id = ${appId} and finished_at is null and lease is null`
  )

/** A store with an app that writes and an app with a webhook. */
export const scene = Effect.fn(function* (react?: Respond) {
  const storeId = yield* makeStore()
  const { client: writer } = yield* install(storeId)
  const endpoint = yield* receiver(react)
  const app = yield* subscriber(endpoint)
  const { installation } = yield* installApp(storeId, app.appId)
  return { storeId, writer, endpoint, installation, ...app }
})

/** An app with `n` pending deliveries, oldest first, and the ids of their events. No worker runs. */
export const makeDeliveries = Effect.fn(function* (n: number) {
  const { appId, storeId, writer } = yield* scene()
  for (let count = 0; count < n; count++) yield* writer.post("/products", { name: `Cup ${count}` })
  return { appId, storeId, ids: (yield* deliveriesOf(appId)).map(({ eventId }) => eventId) }
})

/** Marks deliveries as finished after all attempts. */
export const markFinished = Effect.fn(function* (ids: ReadonlyArray<EventId>, outcome: string, daysAgo = 0) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update deliveries set outcome = ${outcome}, finished_at = now() - ${daysAgo} * interval '1 day', failures = 14, attempts = 14
    where event_id = any(${ids}::uuid[])
  `
})
