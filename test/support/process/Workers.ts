import { assert } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import type pg from "pg"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { type Answer, makeClient } from "../http/Api.ts"
import { type DeliveryAudit, countReception, auditDeliveries } from "./DeliveryAudit.ts"
import {
  type ExitedProcess,
  createTokens,
  rowsOf,
  servicesOn,
  startNode,
  startServer,
  type Variables,
  waitUntil
} from "./Process.ts"
import type { Reaction, Receiver } from "../webhooks/Receiver.ts"
import { installing } from "../data/Writes.ts"

/** By default, processes on an external database send no webhooks to this machine. */
const ALLOW = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }

/** Starts `node dist/cli.js worker` and waits until it delivers. */
export const startWorker = Effect.fn(function* (given: Variables, concurrency = 256) {
  const worker = yield* startNode("cli", ["worker", "--concurrency", String(concurrency)], { ...ALLOW, ...given })
  const early = Effect.flatMap(worker.ended, (end) => Effect.die(new Error(`The worker ended: ${end.stderr}`)))
  const ready = waitUntil(
    Effect.sync(() => worker.output.stdout),
    (stdout) => stdout.includes("Delivering webhooks")
  )
  yield* Effect.raceFirst(ready, early)
  return worker
})

/** Asserts the exit of a stopped process: code 0 and no error output. */
export const assertCleanEnd = ({ code, signal, stderr }: ExitedProcess) =>
  assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: "" })

export type Worker = Effect.Success<ReturnType<typeof startWorker>>

/** Starts a server that may deliver to this machine. `WEBHOOK_WORKERS=0` leaves deliveries to other workers. */
export const startSender = (given: Variables) => startServer({ ...ALLOW, ...given })

/** An app that subscribes to all events, and its receiver. */
export interface Listener {
  readonly appId: AppId
  readonly secret: string
}

/** Installs an app on the store for each base URL. Its webhook URL ends with the app's id. */
export const listeners = (
  url: string,
  storeId: string,
  urls: ReadonlyArray<string>,
  kinds: ReadonlyArray<EventKind> = EventKind.literals
) =>
  Effect.forEach(urls, (base) =>
    Effect.gen(function* () {
      const apps = yield* Apps
      const { install } = yield* installing
      const { rotateSecret, subscribe } = yield* Webhooks
      const appId = yield* apps.create({ name: "A listener", ...ALL_GRANTS })
      yield* subscribe(appId, { url: `${base}/${appId}`, kinds })
      yield* install({ storeId: StoreId.make(storeId), appId, ...ALL_GRANTS })
      const { secret } = yield* rotateSecret(appId, "end")
      const listener: Listener = { appId, secret: Redacted.value(secret) }
      return listener
    })
  ).pipe(Effect.provide(servicesOn(url)))

/**
 * A store with `apps` subscribers at one receiver, and tokens of other apps that write. Each token admits 100 requests
 * a minute.
 */
export const makeSubscribers = Effect.fn(function* (url: string, receiver: Receiver, apps: number, writers = 1) {
  const { storeId, tokens } = yield* createTokens(url, writers)
  const urls = Array.from({ length: apps }, () => receiver.url)
  return { storeId, tokens, listeners: yield* listeners(url, storeId, urls) }
})

const ask = (base: string, token: string | undefined, key: string) =>
  Effect.sandbox(makeClient(base, token).post("/products", { name: `Cup ${key}` }, { key }))

/** Creates a product and repeats the request with the same key until it succeeds, while servers and databases fail. */
export const createUntilSuccess = (base: () => string, token: string | undefined, key: string): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(ask(base(), token, key))
    if (Exit.isSuccess(exit) && exit.value.status === 201) return exit.value
    if (Exit.isSuccess(exit)) assert.include([429, 503], exit.value.status, exit.value.text)
    yield* Effect.sleep("20 millis")
    return yield* createUntilSuccess(base, token, key)
  })

/** Creates `n` products, using the tokens in turn. */
export const makeProducts = (base: string, tokens: ReadonlyArray<string>, n: number) =>
  Effect.forEach(
    Array.from({ length: n }, (_, index) => index),
    (index) => createUntilSuccess(() => base, tokens[index % tokens.length], `made-${index}`),
    { concurrency: 8, discard: true }
  )

/** Waits until `n` workers listen for notifications, each in its own session. */
export const listening = (client: pg.Client, n: number) =>
  waitUntil(
    rowsOf(
      client,
      "select 1 from pg_stat_activity where datname = current_database() and state = 'idle' and query ilike 'listen%deliveries%'"
    ),
    (rows) => rows.length === n
  )

/** Waits until all deliveries are finished. */
export const deliveriesFinished = (client: pg.Client) =>
  waitUntil(rowsOf(client, "select 1 from deliveries where finished_at is null limit 1"), (rows) => rows.length === 0)

/** Expires leases immediately instead of after 20 seconds, for attempts of killed workers. */
export const endLeases = (client: pg.Client) =>
  rowsOf(client, "update deliveries set next_at = clock_timestamp() where lease is not null")

/** Compares the receptions with the database once all deliveries are finished. */
export const auditReceiver = (
  client: pg.Client,
  { received }: Pick<Receiver, "received">
): Effect.Effect<DeliveryAudit> =>
  Effect.andThen(
    deliveriesFinished(client),
    Effect.promise(() => {
      const arrivals = new Map<string, number>()
      for (const { headers, path } of received) countReception(arrivals, headers["webhook-id"], path)
      return auditDeliveries(client, arrivals)
    })
  )

/** Delays responses of a receiver. */
export const makeGate = () => {
  const waitingRequests: Array<() => void> = []
  let isClosed = false
  return {
    /** Handler of `receiver`: responds with 204, immediately or once the gate is open. */
    answer: (): Reaction | Promise<Reaction> =>
      isClosed ? new Promise((resolve) => waitingRequests.push(() => resolve({}))) : {},
    close: () => void (isClosed = true),
    open: () => {
      isClosed = false
      for (const go of waitingRequests.splice(0)) go()
    },
    /** Waits until `n` requests wait. */
    holds: (n: number) =>
      waitUntil(
        Effect.sync(() => waitingRequests.length),
        (length) => length >= n
      )
  }
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** Ends every session of the service on the database at `url`, like a failover. */
export const endSessions = (db: pg.Client, url: string) =>
  rowsOf(
    db,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'partner-api'`,
    [nameOf(url)]
  )

/** Closes the database at `url` for the service until it is opened again. Runs on another database. */
export const closeDatabase = (db: pg.Client, url: string) =>
  Effect.andThen(rowsOf(db, `alter database ${nameOf(url)} allow_connections false`), endSessions(db, url))

export const openDatabase = (db: pg.Client, url: string) =>
  rowsOf(db, `alter database ${nameOf(url)} allow_connections true`)
