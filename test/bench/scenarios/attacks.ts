import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import type Pg from "pg"
import { WebSocket } from "ws"
import { CollectionId, newCollection } from "../../../src/domain/catalog/Collection.ts"
import { fillBody, manyKeys } from "../../support/http/InvalidBodies.ts"
import { openConnection } from "../database.ts"
import { sendRequest, callProcedure, callTool, sendConcurrently, range } from "./attackRequests.ts"
import { MEDIUM_STORE, EPOCH, idOf, installationAt, LARGE_STORE } from "../seed/population.ts"
import { insertServiceCollections } from "../seed/collections.ts"
import { pageAttacks, seedWideProducts } from "./pageAttacks.ts"
import { pictureAttacks } from "./pictureAttacks.ts"
import { strangerAttacks } from "./strangerAttacks.ts"
import { memberOf } from "../../support/rpc/Members.ts"

/*
 * Expensive requests of one store within its limits: the largest valid bodies, pages and rules, as many at once as the
 * rate limit allows.
 */

/** Attacked server with its process and database. */
export interface Target {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly db: Pg.Client
}

export interface Attack {
  readonly title: string
  /** Returns a short summary of the result. */
  readonly run: Effect.Effect<string>
}

const HAND = idOf("collection", MEDIUM_STORE.store, 900)
const ALL = idOf("collection", LARGE_STORE.store, 0)

const members = range(MEDIUM_STORE.products).map((n) => idOf("product", MEDIUM_STORE.store, n))
const ORDERS = [members, members.toReversed()].map((productIds) => JSON.stringify({ productIds }))

/** Sixty rules without an index that match no product. */
const slowRules = (collection: number) =>
  range(60).map((n) => ({ field: "title", relation: "contains", value: `nothing ${collection} ${n}` }))

const head = (store: number, n: number, rules: ReadonlyArray<{ field: string; relation: string; value: unknown }>) =>
  newCollection(
    { title: `Collection ${n}`, type: rules.length === 0 ? "manual" : "automated", disjunctive: true, rules },
    { id: CollectionId.make(idOf("collection", store, n)), slug: `collection-${n}`, at: new Date(EPOCH + n) }
  )

/** Product of nearly a megabyte that does not compress. */
const heavy = (n: number) =>
  JSON.stringify({ name: `Heavy ${n}`, metafields: { blob: randomBytes(490_000).toString("hex") } })

/** Body of a megabyte of invalid items. */
const WRONG = fillBody('{"name":"x","faqs":[', "{}", "]}")
const WRONG_NUMBERS = fillBody('{"name":"x","faqs":[', "1", "]}")
const UNKNOWN = manyKeys('{"name":"x",', 90_000, "}")
const KEYS = manyKeys('{"name":"x","metafields":{', 70_000, "}}")

/** Maximum number of valid keys, all different. */
const MOST_KEYS = `{"name":"x","metafields":[${range(39)
  .map((n) => manyKeys("{", 1000, "}").replaceAll("k", `key ${n} `))
  .join(",")}]}`

const HEAVY = 100

/** Id of an installation, which is also that of its merchant in `seedMerchantsAndAgents`. */
const CALLER = idOf("installation", 0, installationAt("deep", 0))

/** Inserts a manual collection, slow collections, heavy products, and collections that match a whole large store. */
export const seedAttacks = ({ db, port }: Target) =>
  Effect.gen(function* () {
    const everything = [{ field: "price", relation: "greater_or_equal", value: 0 }]
    yield* Effect.promise(async () => {
      const deep = idOf("store", 0, MEDIUM_STORE.store)
      await insertServiceCollections(db, deep, [
        ...range(20).map((n) => head(MEDIUM_STORE.store, n, slowRules(n))),
        head(MEDIUM_STORE.store, 900, [])
      ])
      const vast = range(200).map((n) => head(LARGE_STORE.store, n, everything))
      await insertServiceCollections(db, idOf("store", 0, LARGE_STORE.store), vast)
    })
    yield* Effect.forEach(range(HEAVY), (n) => sendRequest(port, "deep", n, "POST", "/products", heavy(n)), {
      concurrency: 2
    })
    yield* seedWideProducts(port)
  })

const DEEP_ID = idOf("store", 0, MEDIUM_STORE.store)
const AFTER_SEEDED = idOf("product", MEDIUM_STORE.store, MEDIUM_STORE.products)

const lockStore = "select 1 from stores where id = $1 for update"

/** Locks a row (by default that of the store) for 8 s, like a stuck write of another process. */
const whileLocked = (
  target: Target,
  during: Effect.Effect<string>,
  lock = lockStore,
  id = idOf("store", 0, MEDIUM_STORE.store)
) =>
  Effect.gen(function* () {
    const holder = yield* openConnection(target.url)
    yield* Effect.promise(async () => {
      await holder.query("begin")
      const { rowCount } = await holder.query(lock, [id])
      if (rowCount === 0) throw new Error("The row does not exist")
    })
    const release = Effect.promise(() => holder.query("rollback"))
    return yield* Effect.zipWith(during, Effect.delay(release, "8 seconds"), (summary) => summary, { concurrent: true })
  }).pipe(Effect.scoped)

/** Milliseconds of sending frames. */
const FRAMES_MILLIS = 2_000

/**
 * Sends frames without pause over `count` sockets, which are reopened when they close. Returns how the sockets closed.
 */
const frames = ({ port, url }: Target, count: number) =>
  Effect.gen(function* () {
    const store = idOf("store", 0, MEDIUM_STORE.store)
    const cookie = yield* memberOf(url, [store], `${randomUUID()}@bench.example`)
    const until = Date.now() + FRAMES_MILLIS
    const ends: Array<string> = []
    let sent = 0
    const frame = (id: number) =>
      JSON.stringify({ _tag: "Request", id: String(id), tag: "changes.follow", payload: { storeId: store } })
    const follow = Effect.callback<void>((resume) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers: { cookie } })
      const push = () => {
        if (socket.readyState !== socket.OPEN) return
        if (Date.now() > until) return socket.close()
        for (let n = 0; n < 100; n++) socket.send(frame(++sent))
        setImmediate(push)
      }
      socket.on("open", push)
      socket.on("error", () => undefined)
      socket.on("close", (code, reason) => {
        ends.push(`${code} ${reason.toString()}`.trim())
        resume(Effect.void)
      })
    })
    const followOn = Effect.repeat(follow, { while: () => Date.now() < until })
    yield* Effect.all(
      range(count).map(() => followOn),
      { concurrency: count }
    )
    const kinds = [...new Set(ends)].map((end) => `${ends.filter((other) => other === end).length} ended with ${end}`)
    return `${sent} frames; sockets: ${kinds.join(", ")}`
  }).pipe(Effect.orDie)

export const attacks = (target: Target): ReadonlyArray<Attack> => {
  const { port } = target
  return [
    {
      title: "90 PATCHes at once of a manual collection of 10,000 products",
      run: sendConcurrently(90, (n) => sendRequest(port, "deep", n, "PATCH", `/collections/${HAND}`, ORDERS[n % 2]))
    },
    {
      title: "90 creates at once on a store whose row is held for 8 s",
      run: whileLocked(
        target,
        sendConcurrently(90, (n) =>
          sendRequest(port, "deep", n, "POST", "/products", JSON.stringify({ name: `Held ${n}` }))
        )
      )
    },
    {
      title: "12 lists at once of 20 collections of 60 `contains` over 10,000 products",
      run: sendConcurrently(12, (n) => sendRequest(port, "deep", n, "GET", "/collections?limit=200"))
    },
    {
      title: "12 lists at once of 200 collections of 100,000 matches",
      run: sendConcurrently(12, (n) => sendRequest(port, "vast", n, "GET", "/collections?limit=200"))
    },
    {
      title: "30 lists at once of 100 products of 1 MB",
      run: sendConcurrently(30, (n) =>
        sendRequest(port, "deep", n, "GET", `/products?limit=200&cursor=${AFTER_SEEDED}`)
      )
    },
    {
      title: "30 title PATCHes at once of an automated collection over 100,000 products, and 60 creates",
      run: sendConcurrently(90, (n) =>
        n % 3 === 0
          ? sendRequest(
              port,
              "vast",
              n,
              "PATCH",
              `/collections/${ALL}`,
              JSON.stringify({ title: `All ${randomUUID()}` })
            )
          : sendRequest(port, "vast", n, "POST", "/products", JSON.stringify({ name: "Beside it" }))
      )
    },
    ...[1, 4].map((count) => ({
      title: `frames without pause over ${count === 1 ? "one WebSocket" : "four WebSockets"} of one merchant`,
      run: frames(target, count)
    })),
    {
      title: "90 reads at once of an installation whose window is held for 8 s",
      run: whileLocked(
        target,
        sendConcurrently(90, () => sendRequest(port, "deep", 0, "GET", "/products?limit=1")),
        "select 1 from rate_windows where installation_id = $1 for update",
        CALLER
      )
    },
    {
      title: "90 calls at once of a merchant whose window is held for 8 s",
      run: whileLocked(
        target,
        sendConcurrently(90, () => callProcedure(port, 0, "store.get", `{"storeId":"${DEEP_ID}"}`)),
        "select 1 from merchant_call_windows where merchant_id = $1 for update",
        CALLER
      )
    },
    {
      title: "200 products of 1 MiB of invalid items, 4 at once",
      run: sendConcurrently(200, (n) => sendRequest(port, "deep", n, "POST", "/products", WRONG), 4)
    },
    {
      title: "200 calls with 1 MiB of invalid items, 4 at once",
      run: sendConcurrently(
        200,
        (n) =>
          callProcedure(
            port,
            n,
            "products.create",
            `{"storeId":"${DEEP_ID}","idempotencyKey":"${n}","product":${WRONG_NUMBERS}}`
          ),
        4
      )
    },
    {
      title: "200 tool calls with 1 MiB of invalid items, 4 at once",
      run: sendConcurrently(
        200,
        (n) => callTool(port, n, "products_create", `{"idempotencyKey":"${n}","product":${WRONG_NUMBERS}}`),
        4
      )
    },
    {
      title: "200 products with 90,000 unknown fields, 4 at once",
      run: sendConcurrently(200, (n) => sendRequest(port, "deep", n, "POST", "/products", UNKNOWN), 4)
    },
    {
      title: "200 products with 70,000 keys, 4 at once",
      run: sendConcurrently(200, (n) => sendRequest(port, "deep", n, "POST", "/products", KEYS), 4)
    },
    {
      title: "40 products with the 39,000 keys that are legal, 4 at once",
      run: sendConcurrently(40, (n) => sendRequest(port, "deep", n, "POST", "/products", MOST_KEYS), 4)
    },
    ...pictureAttacks(port),
    ...pageAttacks(port),
    ...strangerAttacks(port)
  ]
}
