import { Effect, Schema } from "effect"
import type { SeededStore } from "./fixture.ts"

/** Writers of each store, which has a reader too. */
const WRITERS = 2

/** Milliseconds between two requests of a writer or reader. */
const PACE = 200

const Product = Schema.Struct({ data: Schema.Struct({ id: Schema.String, version: Schema.Int }) })
const decodeResponse = Schema.decodeUnknownSync(Schema.fromJsonString(Product))
export const decodeProduct = (text: string) => decodeResponse(text).data

const Page = Schema.Struct({ products: Schema.Array(Schema.Struct({ version: Schema.Int })) })
const decodePage = Schema.decodeUnknownSync(Schema.fromJsonString(Page))

/** A request with a key. */
export interface Write {
  readonly token: string
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly key: string
  readonly body: string | null
}

/** A write that the service acknowledged at `at`. */
export interface Acknowledged extends Write {
  readonly writer: number
  readonly at: number
  readonly status: number
  readonly text: string
  readonly id: string
  readonly version: number
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends requests, and counts what clients see. */
export const makeClients = (base: string) => {
  const seen = new Map<string, number>()
  const bad: Array<string> = []
  let longest = 0
  const count = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1)
  const send = async (path: string, options: RequestInit): Promise<Answer> => {
    const startedAt = performance.now()
    try {
      const response = await fetch(`${base}${path}`, options)
      const text = await response.text()
      const { headers, status } = response
      const isWell = response.ok || (status === 503 && headers.get("retry-after") !== null)
      count(String(status))
      if (!isWell) bad.push(`${status} of ${options.method ?? "GET"} ${path}: ${text}`)
      return { status, text }
    } catch (error) {
      count("connection error")
      bad.push(`${path}: ${error instanceof Error ? String(error.cause ?? error) : String(error)}`)
      return { status: 0, text: "" }
    } finally {
      longest = Math.max(longest, performance.now() - startedAt)
    }
  }
  return {
    seen,
    bad,
    longest: () => longest,
    read: (token: string, path: string) => send(path, { headers: { authorization: `Bearer ${token}` } }),
    write: ({ body, key, method, path, token }: Write) =>
      send(path, {
        method,
        body,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key }
      })
  }
}

export type Clients = ReturnType<typeof makeClients>

export const isSuccess = ({ status }: Answer) => status >= 200 && status < 300

/** Repeats a write with its key until it succeeds. */
export const sendUntilSuccess = (clients: Clients, write: Write): Effect.Effect<Answer> =>
  Effect.flatMap(
    Effect.promise(() => clients.write(write)),
    (answer) =>
      isSuccess(answer) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep(PACE), sendUntilSuccess(clients, write))
  )

/** True if the key returns its first response again. */
const replays = (clients: Clients, write: Acknowledged): Effect.Effect<boolean> =>
  Effect.map(sendUntilSuccess(clients, write), ({ status, text }) => status === write.status && text === write.text)

/** Writers and readers of the stores, who repeat refused requests. */
export const makeLoad = (base: string, stores: ReadonlyArray<SeededStore>) => {
  const clients = makeClients(base)
  const acknowledged: Array<Acknowledged> = []
  const stale: Array<string> = []
  let reads = 0
  let isStopped = false

  const send = Effect.fn(function* (write: Write, writer: number) {
    const answer = yield* sendUntilSuccess(clients, write)
    const one = { ...write, ...answer, ...decodeProduct(answer.text), writer, at: performance.now() }
    acknowledged.push(one)
    yield* Effect.sleep(PACE)
    return one
  })
  /** Creates products and changes each twice. */
  const write = ({ token }: SeededStore, writer: number) => {
    let made = 0
    const one = Effect.gen(function* () {
      made += 1
      const key = `writer-${writer}-${made}`
      const body = JSON.stringify({ name: `Cup ${key}` })
      const { id } = yield* send({ token, method: "POST", path: "/products", key, body }, writer)
      for (const price of [1, 2]) {
        const change = { token, path: `/products/${id}`, key: `${key}-${price}`, body: JSON.stringify({ price }) }
        yield* send({ ...change, method: "PATCH" }, writer)
      }
    })
    return Effect.repeat(one, { until: () => isStopped })
  }
  /** Reads acknowledged products. A missing one or an older version would be a read from a former primary. */
  const read = ({ token }: SeededStore) => {
    const one = Effect.gen(function* () {
      yield* Effect.sleep(PACE)
      const last = acknowledged.findLast((write) => write.token === token)
      if (last === undefined) return
      const answer = yield* Effect.promise(() => clients.read(token, `/products?ids=${last.id}`))
      if (!isSuccess(answer)) return
      const [product] = decodePage(answer.text).products
      reads += 1
      if (product === undefined || product.version < last.version) stale.push(`${last.id} ${last.version}`)
    })
    return Effect.repeat(one, { until: () => isStopped })
  }
  const all = stores.flatMap((store, n) => [
    ...Array.from({ length: WRITERS }, (_, index) => write(store, n * WRITERS + index)),
    read(store)
  ])
  return {
    writers: stores.length * WRITERS,
    clients,
    acknowledged,
    /** Reads that were older than an acknowledged write. */
    stale,
    reads: () => reads,
    /** Runs until `stop` is called. */
    run: Effect.all(all, { concurrency: "unbounded", discard: true }),
    stop: Effect.sync(() => void (isStopped = true)),
    /** Sends each acknowledged write again, and returns the keys with another response. */
    changedReplays: Effect.map(
      Effect.suspend(() =>
        Effect.forEach(
          acknowledged,
          // The pause keeps the stores within their rate limit.
          (write) =>
            Effect.delay(
              Effect.map(replays(clients, write), (isSame) => (isSame ? [] : [write.key])),
              20
            ),
          { concurrency: 4 }
        )
      ),
      (keys) => keys.flat()
    )
  }
}
