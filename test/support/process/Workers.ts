import { assert } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import type pg from "pg"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { type AppId, Apps } from "../../../src/domain/access/Apps.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { type Answer, makeClient } from "../http/Api.ts"
import { type Books, enter, reckon } from "./Books.ts"
import { type Ended, enroll, rowsOf, servicesOn, startNode, startServer, type Variables, watch } from "./Process.ts"
import type { Reaction, Receiver } from "../webhooks/Receiver.ts"
import { installing } from "../data/Writes.ts"

/** Processes on a database that they are given send to no address of this machine by themselves. */
const ALLOW = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }

/** Starts `node dist/cli.js worker`, and waits until it says that it delivers. */
export const startWorker = Effect.fn(function* (given: Variables, concurrency = 256) {
  const worker = yield* startNode("cli", ["worker", "--concurrency", String(concurrency)], { ...ALLOW, ...given })
  const early = Effect.flatMap(worker.ended, (end) => Effect.die(new Error(`The worker ended: ${end.stderr}`)))
  const ready = watch(
    Effect.sync(() => worker.said.stdout),
    (stdout) => stdout.includes("Delivering webhooks")
  )
  yield* Effect.raceFirst(ready, early)
  return worker
})

/** What a process ends with that was stopped, and had nothing to say of it. */
export const assertCleanEnd = ({ code, signal, stderr }: Ended) =>
  assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: "" })

export type Worker = Effect.Success<ReturnType<typeof startWorker>>

/** A server that may deliver to this machine; `WEBHOOK_WORKERS=0` in `given` leaves delivering to others. */
export const startSender = (given: Variables) => startServer({ ...ALLOW, ...given })

/** An app that is told of everything in the store, and where. */
export interface Listener {
  readonly appId: AppId
  readonly secret: string
}

/** Installs an app on the store for each of `urls`, which its webhook URL begins with; the app's id ends it. */
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

/** A store with `apps` listeners at one receiver, and tokens of others who write; each is good for 100 a minute. */
export const audience = Effect.fn(function* (url: string, receiver: Receiver, apps: number, writers = 1) {
  const { storeId, tokens } = yield* enroll(url, writers)
  const urls = Array.from({ length: apps }, () => receiver.url)
  return { storeId, tokens, listeners: yield* listeners(url, storeId, urls) }
})

const ask = (base: string, token: string | undefined, key: string) =>
  Effect.sandbox(makeClient(base, token).post("/products", { name: `Cup ${key}` }, { key }))

/** Makes a product, asking with the same key until it is there: servers and databases go away under it. */
export const insist = (base: () => string, token: string | undefined, key: string): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(ask(base(), token, key))
    if (Exit.isSuccess(exit) && exit.value.status === 201) return exit.value
    if (Exit.isSuccess(exit)) assert.include([429, 503], exit.value.status, exit.value.text)
    yield* Effect.sleep("20 millis")
    return yield* insist(base, token, key)
  })

/** Makes `n` products, by the tokens in turn. */
export const makeProducts = (base: string, tokens: ReadonlyArray<string>, n: number) =>
  Effect.forEach(
    Array.from({ length: n }, (_, index) => index),
    (index) => insist(() => base, tokens[index % tokens.length], `made-${index}`),
    { concurrency: 8, discard: true }
  )

/** Waits until so many workers wait for notices, each in a session of its own. */
export const listening = (client: pg.Client, n: number) =>
  watch(
    rowsOf(
      client,
      "select 1 from pg_stat_activity where datname = current_database() and state = 'idle' and query ilike 'listen%deliveries%'"
    ),
    (rows) => rows.length === n
  )

/** Waits until nothing is left to deliver. */
export const finished = (client: pg.Client) =>
  watch(rowsOf(client, "select 1 from deliveries where finished_at is null limit 1"), (rows) => rows.length === 0)

/** Lets leases be over at once, as they are after 20 seconds: for what was under way in workers that are gone. */
export const endLeases = (client: pg.Client) =>
  rowsOf(client, "update deliveries set next_at = clock_timestamp() where lease is not null")

/** Holds what arrived against the database, when nothing is left to deliver. */
export const books = (client: pg.Client, { received }: Pick<Receiver, "received">): Effect.Effect<Books> =>
  Effect.andThen(
    finished(client),
    Effect.promise(() => {
      const arrivals = new Map<string, number>()
      for (const { headers, path } of received) enter(arrivals, headers["webhook-id"], path)
      return reckon(client, arrivals)
    })
  )

/** Lets requests of a receiver wait for their answers. */
export const makeGate = () => {
  const held: Array<() => void> = []
  let isClosed = false
  return {
    /** For `receiver`: 204, at once or when the gate is opened. */
    answer: (): Reaction | Promise<Reaction> =>
      isClosed ? new Promise((resolve) => held.push(() => resolve({}))) : {},
    close: () => void (isClosed = true),
    open: () => {
      isClosed = false
      for (const go of held.splice(0)) go()
    },
    /** Until `n` requests wait. */
    holds: (n: number) =>
      watch(
        Effect.sync(() => held.length),
        (length) => length >= n
      )
  }
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** Ends every session of the service on the database at `url`, as a failover or an operator would. */
export const cut = (db: pg.Client, url: string) =>
  rowsOf(
    db,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'partner-api'`,
    [nameOf(url)]
  )

/** Takes the database at `url` away from the service, until it is opened again; both from another database. */
export const closeDatabase = (db: pg.Client, url: string) =>
  Effect.andThen(rowsOf(db, `alter database ${nameOf(url)} allow_connections false`), cut(db, url))

export const openDatabase = (db: pg.Client, url: string) =>
  rowsOf(db, `alter database ${nameOf(url)} allow_connections true`)
