import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema } from "effect"
import { ChangeSet, OperationResult } from "../../../src/domain/changeSets/ChangeSet.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { sharedByFiles } from "../SharedByFiles.ts"
import { type Answer, type Client, dataOf, IsolatedApiTest } from "./Api.ts"

/** The service with a job runner, on a database of its own. */
export const IsolatedJobsTest = Layer.provideMerge(jobRunner(1), IsolatedApiTest)

/** {@link IsolatedJobsTest}, built once for all files of a worker. */
export const JobsTest = sharedByFiles(IsolatedJobsTest)

const decodeSet = Schema.decodeUnknownSync(ChangeSet)
const decodeResults = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(OperationResult), nextCursor: Schema.NullOr(Schema.String) })
)

/** Decodes the change set of a response. */
export const setOf = (answer: Answer): ChangeSet => decodeSet(dataOf(answer))

/** Waits until a change set has left the states in which a job works on it. */
export const settled = (client: Client, id: string) =>
  client.get(`/change-sets/${id}`).pipe(
    Effect.map(setOf),
    Effect.repeat({
      until: ({ state }) => state !== "previewing" && state !== "applying",
      schedule: Schedule.spaced("20 millis")
    })
  )

/** Creates a change set and waits for its preview. */
export const previewed = Effect.fn("previewed")(function* (client: Client, set: unknown) {
  const created = yield* client.post("/change-sets", set)
  assert.strictEqual(created.status, 201, created.text)
  const { id } = setOf(created)
  return yield* settled(client, id)
})

/** Applies a change set that is ready and waits for its end. */
export const applied = Effect.fn("applied")(function* (client: Client, id: string, body: unknown = {}) {
  const answer = yield* client.post(`/change-sets/${id}/apply`, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* settled(client, id)
})

/** Reads all results of a change set. */
export const resultsOf = Effect.fn("resultsOf")(function* (client: Client, id: string) {
  const all: Array<OperationResult> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const answer: Answer = yield* client.get(
      `/change-sets/${id}/results?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`
    )
    const { nextCursor, results } = decodeResults(answer.json)
    all.push(...results)
    cursor = nextCursor
  }
  return all
})
