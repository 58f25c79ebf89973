import { Effect, Schema } from "effect"
import { type Answer, decodeProduct, isSuccess, makeClients, sendUntilSuccess, type Write } from "./failoverLoad.ts"
import type { SeededStore } from "./fixture.ts"

/** Writers of each store. */
const WRITERS = 2

/** Milliseconds between two requests of a writer, or of the reader of the feed. */
const PACE = 150

/** Kinds of writes in the order in which a writer makes them. It deletes two of three products. */
type Kind = "created" | "updated" | "deleted"

/** A write with its first successful response. Times are milliseconds. */
export interface Written extends Write, Answer {
  readonly kind: Kind
  readonly id: string
  readonly version: number
  readonly writer: number
  readonly startedAt: number
  readonly at: number
}

const Change = Schema.Struct({
  position: Schema.String,
  id: Schema.String,
  version: Schema.Int,
  deleted: Schema.Boolean
})
type Change = typeof Change.Type

const Page = Schema.Struct({ changes: Schema.Array(Change), nextPosition: Schema.String })
const decodePage = Schema.decodeUnknownSync(Schema.fromJsonString(Page))

/** Change of the feed that a write must have made. */
const changeOf = ({ id, kind, version }: Written) => `${id} ${version} ${kind === "deleted"}`

/** Products that are written before others, but have a larger id. */
const findUnordered = (written: ReadonlyArray<Written>) => {
  const created = written.filter(({ kind }) => kind === "created")
  const acknowledged = created.toSorted((a, b) => a.at - b.at)
  const unordered: Array<string> = []
  let newest = ""
  let next = 0
  for (const one of created.toSorted((a, b) => a.startedAt - b.startedAt)) {
    for (
      let before = acknowledged[next];
      before !== undefined && before.at < one.startedAt;
      before = acknowledged[next]
    ) {
      newest = before.id > newest ? before.id : newest
      next += 1
    }
    if (one.id <= newest) unordered.push(`${one.id} after ${newest}`)
  }
  return unordered
}

/** Lines that are not as often in one list as in the other. */
const differences = (expected: ReadonlyArray<string>, seen: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const line of expected) counts.set(line, (counts.get(line) ?? 0) - 1)
  for (const line of seen) counts.set(line, (counts.get(line) ?? 0) + 1)
  return {
    missing: [...counts].flatMap(([line, n]) => (n < 0 ? [line] : [])),
    surplus: [...counts].flatMap(([line, n]) => (n > 0 ? [line] : []))
  }
}

/** Writers of one store with keys, and a reader of its feed by cursor. They repeat refused requests. */
export const makeMovesLoad = Effect.fnUntraced(function* (base: string, { token }: SeededStore) {
  const clients = makeClients(base)
  const written: Array<Written> = []
  const changes: Array<Change> = []
  const changed: Array<string> = []
  let replayed = 0
  let isStopped = false

  const read = (path: string): Effect.Effect<Answer> =>
    Effect.flatMap(
      Effect.promise(() => clients.read(token, path)),
      (answer) => (isSuccess(answer) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep(PACE), read(path)))
    )
  let position = decodePage((yield* read("/changes")).text).nextPosition

  /** Sends a key again, and compares the response with the first. */
  const replay = Effect.fnUntraced(function* (one: Written) {
    const { status, text } = yield* sendUntilSuccess(clients, one)
    replayed += 1
    if (status !== one.status || text !== one.text) changed.push(`${one.method} ${one.key}: ${status} ${text}`)
  })
  const send = Effect.fnUntraced(function* (writer: number, kind: Kind, write: Write, before?: Written) {
    const startedAt = performance.now()
    const answer = yield* sendUntilSuccess(clients, write)
    const { id, version } = kind === "deleted" && before !== undefined ? before : decodeProduct(answer.text)
    const one = { ...write, ...answer, kind, id, version, writer, startedAt, at: performance.now() }
    written.push(one)
    yield* Effect.sleep(PACE)
    return one
  })
  const write = (writer: number) => {
    let made = 0
    const one = Effect.gen(function* () {
      made += 1
      const key = `moves-${writer}-${made}`
      const body = JSON.stringify({ name: `Cup ${key}` })
      const created = yield* send(writer, "created", { token, method: "POST", path: "/products", key, body })
      const path = `/products/${created.id}`
      const change = { token, path, key: `${key}-price`, body: JSON.stringify({ price: 1 }) }
      const updated = yield* send(writer, "updated", { ...change, method: "PATCH" })
      if (made % 3 !== 0) {
        yield* send(writer, "deleted", { token, method: "DELETE", path, key: `${key}-delete`, body: null }, updated)
      }
      const earlier = written[Math.floor(Math.random() * written.length)]
      if (earlier !== undefined) yield* replay(earlier)
    })
    return Effect.repeat(one, { until: () => isStopped })
  }
  const follow = Effect.gen(function* () {
    const page = decodePage((yield* read(`/changes?after=${position}&limit=50`)).text)
    changes.push(...page.changes)
    position = page.nextPosition
    return page.changes.length
  })
  const writers = Array.from({ length: WRITERS }, (_, writer) => writer)
  return {
    clients,
    written,
    writers,
    /** Runs until `stop` is called. */
    run: Effect.all([...writers.map(write), Effect.repeat(Effect.delay(follow, PACE), { until: () => isStopped })], {
      concurrency: "unbounded",
      discard: true
    }),
    stop: Effect.sync(() => void (isStopped = true)),
    /** Reads the rest of the feed, and sends each key again. Call it after `run`. */
    finish: Effect.gen(function* () {
      yield* Effect.delay(follow, "1 second").pipe(Effect.repeat({ until: (n) => n === 0 }))
      yield* Effect.forEach(written, (one) => Effect.delay(replay(one), 40), { concurrency: 4, discard: true })
      const positions = changes.map((change) => change.position)
      return {
        replayed,
        changed,
        changes: changes.length,
        ...differences(
          written.map(changeOf),
          changes.map(({ deleted, id, version }) => `${id} ${version} ${deleted}`)
        ),
        unsorted: positions.filter((one, index) => one <= (positions[index - 1] ?? "")),
        unordered: findUnordered(written)
      }
    })
  }
})
