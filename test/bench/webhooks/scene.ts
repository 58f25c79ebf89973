import { Effect, type Scope } from "effect"
import type Pg from "pg"
import { Actor, MerchantId } from "../../../src/domain/Actor.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"
import { payloadOf } from "../../../src/domain/Events.ts"
import { stringify } from "../../../src/domain/Json.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { encodeSecret } from "../../../src/layers/webhooks/Signature.ts"
import { connection, freshDatabase, settle } from "../cluster.ts"
import { EPOCH, fullProduct, idOf, STORES } from "../population.ts"
import { seedOurAccounts } from "../seed.ts"
import { SERVICE, startServer } from "../servers.ts"
import { type Helper, startHelper } from "./helper.ts"
import { Begun } from "./receiver.ts"

/** What every server and worker here is started with: the receiver is on this machine. */
export const ALLOWED = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }

const KIND = "catalog.product.updated.v1"

/** The subscribers are the apps from 1 on; 0 is the one that writes. */
export const appOf = (subscriber: number): string => idOf("app", 0, subscriber + 1)

export interface Scene {
  readonly url: string
  readonly db: Pg.Client
  readonly receiver: Helper
  /** Where the receiver hears the subscriber; `manner` is how it behaves, see `receiver.ts`. */
  readonly hookOf: (subscriber: number, manner?: string) => string
}

const rows = (subscribers: number, isOn: (subscriber: number, store: number) => boolean) =>
  Array.from({ length: subscribers }, (_, subscriber) =>
    Array.from({ length: STORES }, (_, store) => store)
      .filter((store) => isOn(subscriber, store))
      .map((store) => ({
        app: appOf(subscriber),
        id: idOf("installation", subscriber + 1, store),
        store: idOf("store", 0, store)
      }))
  ).flat()

/** A database with stores, those who write on them, and subscribers at a receiver of their own, until the scope ends. */
export const openScene = (
  server: string,
  subscribers: number,
  isOn: (subscriber: number, store: number) => boolean
): Effect.Effect<Scene, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "webhooks")
    // A server makes the tables.
    yield* Effect.scoped(startServer(SERVICE, url, { WEBHOOK_WORKERS: "0" }))
    const db = yield* connection(url)
    const receiver = yield* startHelper("receive")
    const { port } = yield* receiver.ask("begin", Begun)
    const hookOf = (subscriber: number, manner = "fast") => `http://127.0.0.1:${port}/${subscriber}/${manner}`
    const webhooks = Array.from({ length: subscribers }, (_, subscriber) => ({
      app: appOf(subscriber),
      url: hookOf(subscriber),
      secret: encodeSecret(Buffer.alloc(32, subscriber))
    }))
    yield* Effect.promise(async () => {
      await seedOurAccounts(
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
        [JSON.stringify(rows(subscribers, isOn))]
      )
    })
    return { url, db, receiver, hookOf }
  })

/** No delivery, job or event is left, and what the one before left in the files and the caches does not count. */
export const clear = ({ db }: Scene, ...others: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.promise(async () => {
    await db.query(`truncate ${["events", "deliveries", "delivery_attempts", ...others].join(", ")}`)
    await db.query("update webhooks set failing_since = null")
  }).pipe(Effect.andThen(settle(db)))

const MARK = { event: idOf("collection", 0, 1), number: 987_654_321 }

/** The payload of an event about a full product, with {@link MARK} where each has its own id. */
const template = (): string => {
  const input = fullProduct(MARK.number)
  const id = ProductId.make(idOf("product", 0, MARK.number))
  const product = newProduct(input, { id, slug: slugify(input.name), at: new Date(EPOCH), currencyCode: "EUR" })
  return payloadOf({
    id: MARK.event,
    kind: KIND,
    occurredAt: new Date(EPOCH),
    storeId: StoreId.make(idOf("store", 0, 0)),
    actor: Actor.Merchant({ id: MerchantId.make(idOf("app", 0, 0)) }),
    hops: 0,
    json: stringify(product)
  })
}

/** Deliveries that wait, `count` in all, of events of store 0 to each subscriber there. */
export const insertBacklog = ({ db }: Scene, count: number, subscribers: number): Effect.Effect<void> =>
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
        Array.from({ length: subscribers }, (_, subscriber) => appOf(subscriber))
      ]
    )
  })
