import { Schema } from "effect"
import { Logger, run, type Task } from "graphile-worker"
import { signatureHeaders } from "../../../src/layers/webhooks/Signature.ts"
import { serveMessages } from "./childProcess.ts"

/*
 * Deliveries by graphile-worker: a job with all data for each, and a task that signs and sends it with Node's `fetch`.
 * It records no attempts, has no timeout and checks no address.
 */

/** Settings of graphile-worker, by its names. */
export const Setting = Schema.Struct({
  concurrentJobs: Schema.Int,
  localQueue: Schema.Int,
  completeJobBatchDelay: Schema.Int
})
export type Setting = typeof Setting.Type

export const Start = Schema.Struct({ databaseUrl: Schema.String, setting: Setting })
export const Started = Schema.Struct({ started: Schema.Literal(true) })

const Payload = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  secret: Schema.String,
  body: Schema.String
})
const isPayload = Schema.is(Payload)

const deliver: Task = async (job) => {
  if (!isPayload(job)) throw new Error("A job of another kind")
  const { body, id, secret, url } = job
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "PartnerAPI-Webhooks/1",
      ...signatureHeaders({ secret, previousSecret: null }, id, Date.now() / 1000, body)
    },
    body
  })
  await response.text()
  if (!response.ok) throw new Error(`Status ${response.status}`)
}

const decode = Schema.decodeUnknownSync(Start)

/** Runs a pool of workers from the first message until the process ends. */
export const serveGraphile = (): void =>
  serveMessages(async (message) => {
    const { databaseUrl, setting } = decode(message)
    const { completeJobBatchDelay, concurrentJobs, localQueue } = setting
    await run({
      noHandleSignals: true,
      taskList: { deliver },
      preset: {
        worker: {
          connectionString: databaseUrl,
          concurrentJobs,
          maxPoolSize: concurrentJobs + 2,
          completeJobBatchDelay,
          failJobBatchDelay: completeJobBatchDelay,
          localQueue: { size: localQueue },
          logger: new Logger(() => () => {})
        }
      }
    })
    return { started: true } satisfies typeof Started.Type
  })
