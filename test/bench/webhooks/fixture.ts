import { Effect, type Scope } from "effect"
import type Pg from "pg"
import { MerchantId } from "../../../src/domain/access/Ids.ts"
import { Actor } from "../../../src/domain/Actor.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"
import { eventBodyOf } from "../../../src/domain/Events.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { encodeSecret } from "../../../src/layers/webhooks/Signature.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { EPOCH, makeFullProduct, idOf, STORES } from "../seed/population.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { SERVICE, startServer } from "../servers.ts"
import { type ChildHandle, startHelper } from "./childProcess.ts"
import { Listening } from "./receiver.ts"

/** Environment of servers and workers. The receiver is on this machine. */
export const ALLOW_LOCAL_RECEIVER = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }

const KIND = "catalog.product.updated.v1"

/** App of a subscriber. App 0 writes. */
export const appIdOf = (subscriber: number): string => idOf("app", 0, subscriber + 1)

export interface WebhookFixture {
  readonly url: string
  readonly db: Pg.Client
  readonly receiver: ChildHandle
  /** URL of a subscriber's endpoint; `behaviour` as in `receiver.ts`. */
  readonly hookOf: (subscriber: number, behaviour?: string) => string
}

const rows = (subscribers: number, isSubscribed: (subscriber: number, store: number) => boolean) =>
  Array.from({ length: subscribers }, (_, subscriber) =>
    Array.from({ length: STORES }, (_, store) => store)
      .filter((store) => isSubscribed(subscriber, store))
      .map((store) => ({
        app: appIdOf(subscriber),
        id: idOf("installation", subscriber + 1, store),
        store: idOf("store", 0, store)
      }))
  ).flat()

/** Makes a database with stores, a writer and subscribers at a new receiver, until the scope ends. */
export const makeFixture = (
  server: string,
  subscribers: number,
  isSubscribed: (subscriber: number, store: number) => boolean
): Effect.Effect<WebhookFixture, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "webhooks")
    // The server creates the tables.
    yield* Effect.scoped(startServer(SERVICE, url, { WEBHOOK_WORKERS: "0" }))
    const db = yield* openConnection(url)
    const receiver = yield* startHelper("receive")
    const { port } = yield* receiver.ask("begin", Listening)
    const hookOf = (subscriber: number, behaviour = "fast") => `http://127.0.0.1:${port}/${subscriber}/${behaviour}`
    const webhooks = Array.from({ length: subscribers }, (_, subscriber) => ({
      app: appIdOf(subscriber),
      url: hookOf(subscriber),
      secret: encodeSecret(Buffer.alloc(32, subscriber))
    }))
    yield* Effect.promise(async () => {
      await seedServiceAccounts(
        db,
        Array.from({ length: STORES }, (_, store) => [store, 0] as const)
      )
      await db.query(
        `
          with given as (select * from json_to_recordset($1) as given (app uuid, url text, secret text)),
          made as (insert into apps (id, name, scopes) select app, 'Subscriber', '{read_products}' from given)
          insert into webhooks (app_id, url, kinds, secret) select app, url, array[$2], secret from given
        `,
        [JSON.stringify(webhooks), KIND]
      )
      await db.query(
        `
          insert into installations (store_id, id, app_id, scopes)
          select store, id, app, '{read_products}' from json_to_recordset($1) as given (store uuid, id uuid, app uuid)
        `,
        [JSON.stringify(rows(subscribers, isSubscribed))]
      )
    })
    return { url, db, receiver, hookOf }
  })

/** Deletes deliveries, jobs and events, and brings the database into a quiet state. */
export const clearQueues = ({ db }: WebhookFixture, ...others: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const tables = ["events", "deliveries", "delivery_attempts", "wakeups", "endpoints", ...others]
    await db.query(`truncate ${tables.join(", ")}`)
  }).pipe(Effect.andThen(vacuumAndCheckpoint(db)))

const MARK = { event: idOf("collection", 0, 1), number: 987_654_321 }

/** Payload of an event with a full product. {@link MARK} is the placeholder of ids. */
const template = (): string => {
  const input = makeFullProduct(MARK.number)
  const id = ProductId.make(idOf("product", 0, MARK.number))
  const product = newProduct(input, { id, slug: slugify(input.name), at: new Date(EPOCH), currencyCode: "EUR" })
  return eventBodyOf({
    id: MARK.event,
    kind: KIND,
    occurredAt: new Date(EPOCH),
    storeId: StoreId.make(idOf("store", 0, 0)),
    actor: Actor.Merchant({ id: MerchantId.make(idOf("app", 0, 0)) }),
    hops: 0,
    json: JSON.stringify(product)
  })
}

/** Inserts `count` pending deliveries of events of store 0 to its subscribers. */
export const insertBacklog = ({ db }: WebhookFixture, count: number, subscribers: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    await db.query(
      `
        with made as materialized (
          select uuid_v7(clock_micros() + n) as id from generate_series(1, $1::integer) n
        ), kept as (
          insert into events (
            store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload
          )
          select $2, id, $3, clock_timestamp(), 'merchant', id, 1, replace($4, $5, id::text) from made
        )
        insert into deliveries (store_id, event_id, installation_id, app_id)
        select i.store_id, made.id, i.id, i.app_id from made cross join installations i
        where i.store_id = $2 and i.app_id = any($6)
      `,
      [
        count / subscribers,
        idOf("store", 0, 0),
        KIND,
        template(),
        MARK.event,
        Array.from({ length: subscribers }, (_, subscriber) => appIdOf(subscriber))
      ]
    )
  })
