import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Answer, dataOf, makeClient, pageOf } from "../http/Api.ts"
import { setOf } from "../http/ChangeSets.ts"
import { callLine, exitsOf, postTo } from "../rpc/Rpc.ts"
import { waitUntil } from "../process/Process.ts"

/** What callers of a server use. Their calls fail unless they succeed. */
export interface Access {
  readonly base: string
  readonly token: string
  readonly storeId: string
  readonly cookie: string
}

const Identified = Schema.Struct({ id: Schema.String })

/** Reads the id of a resource. */
export const idOf = (resource: unknown) => Schema.decodeUnknownSync(Identified)(resource).id

const decodeImported = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: Identified })))

const State = Schema.Struct({ state: Schema.String })
const stateOf = (set: unknown) => Schema.decodeUnknownSync(State)(set).state

const succeed = (answer: Answer) => {
  assert.include([200, 201], answer.status, answer.text)
  return answer
}

const asked = (request: Effect.Effect<Answer>) => Effect.map(request, (answer) => dataOf(succeed(answer)))

/** Calls of all surfaces of a server, without the schemas of a release. */
export const callsOf = ({ base, cookie, storeId, token }: Access) => {
  const rest = makeClient(base, token)
  const exitOf = Effect.fnUntraced(function* (tag: string, payload: object, headers: Record<string, string>) {
    const { status, text } = yield* postTo(base, callLine(tag, { storeId, ...payload }), headers)
    assert.strictEqual(status, 200, text)
    return [...exitsOf(text).values()][0] ?? assert.fail(text)
  })
  const rpc = (tag: string, payload: object = {}, headers: Record<string, string> = { cookie }) =>
    Effect.map(exitOf(tag, payload, headers), (exit) =>
      exit._tag === "Success" ? exit.value : assert.fail(`${tag}: ${JSON.stringify(exit)}`)
    )
  const set = (id: string) => Effect.map(rest.get(`/change-sets/${id}`), setOf)
  const settled = (id: string) => waitUntil(set(id), ({ state }) => !["previewing", "applying"].includes(state))
  return {
    base,
    get: (path: string) => asked(rest.get(path)),
    post: (path: string, body: unknown) => asked(rest.post(path, body)),
    put: (path: string, body: unknown) => asked(rest.put(path, body)),
    patch: (path: string, body: unknown) => asked(rest.patch(path, body)),
    page: (path: string) => Effect.map(rest.get(path), (answer) => pageOf(succeed(answer)).items),
    rpc,
    /** Calls a write with a key of its own. */
    write: (tag: string, payload: object, headers?: Record<string, string>) =>
      rpc(tag, { idempotencyKey: randomUUID(), ...payload }, headers),
    /** The error of a write. */
    refused: (tag: string, payload: object) =>
      Effect.map(exitOf(tag, { idempotencyKey: randomUUID(), ...payload }, { cookie }), (exit) =>
        exit._tag === "Failure" ? exit.cause[0].error : assert.fail(JSON.stringify(exit))
      ),
    /** Creates a change set and waits for its preview. */
    preview: (operations: ReadonlyArray<object>) =>
      Effect.gen(function* () {
        const { id } = setOf(succeed(yield* rest.post("/change-sets", { mode: "each", operations })))
        const ready = yield* settled(id)
        assert.strictEqual(ready.state, "ready")
        return ready
      }),
    /** Applies a change set, and waits for its end. */
    apply: (id: string) =>
      Effect.gen(function* () {
        succeed(yield* rest.post(`/change-sets/${id}/apply`, {}))
        const applied = yield* settled(id)
        assert.deepInclude(applied, { state: "applied" })
        assert.strictEqual(applied.counts.refused, 0)
      }),
    /** Creates the set that undoes a change set, and waits for its preview. */
    undo: (id: string) =>
      Effect.gen(function* () {
        const undoing = setOf(succeed(yield* rest.post(`/change-sets/${id}/undo`, undefined)))
        yield* settled(undoing.id)
        return undoing.id
      }),
    /** Imports lines of products and waits for the end. */
    importProducts: (...rows: ReadonlyArray<object>) =>
      Effect.gen(function* () {
        const query = { storeId, settings: { kind: "products", format: "jsonl" } }
        const response = yield* Effect.promise(async () => {
          const sent = await fetch(`${base}/rpc/imports?import=${encodeURIComponent(JSON.stringify(query))}`, {
            method: "POST",
            headers: { cookie, "content-type": "application/octet-stream" },
            body: rows.map((row) => JSON.stringify(row)).join("\n")
          })
          return { status: sent.status, text: await sent.text() }
        })
        assert.strictEqual(response.status, 201, response.text)
        const { data } = decodeImported(response.text)
        yield* waitUntil(rpc("changeSets.get", { id: data.id }), (seen) => stateOf(seen) === "applied")
      })
  }
}

export type Calls = ReturnType<typeof callsOf>
