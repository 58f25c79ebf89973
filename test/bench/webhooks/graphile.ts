import { Schema } from "effect"
import { Logger, run, type Task } from "graphile-worker"
import { signatureHeaders } from "../../../src/layers/webhooks/Signature.ts"
import { serve } from "./helper.ts"

/*
 * The same deliveries by graphile-worker: a job for each, which holds all that is needed, and a task that signs and
 * sends it with Node's `fetch`. It keeps no log, gives each request no limit of time and checks no address.
 */

/** How it is run; the names are its own. */
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
  if (!response.ok) throw new Error(`Answered ${response.status}`)
}

const decode = Schema.decodeUnknownSync(Start)

/** A pool of workers in this process, from the first message until the process is ended. */
export const serveGraphile = (): void =>
  serve(async (message) => {
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
