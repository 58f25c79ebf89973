import { Schema } from "effect"
import { Agent, request } from "node:http"
import { tokenOf } from "../seed/population.ts"
import { REQUESTS } from "../load/requests.ts"
import { now } from "./clock.ts"
import { serveMessages } from "./childProcess.ts"

/** Job of the writer: it creates products on a fixed schedule, regardless of earlier responses. */
export const WriteJob = Schema.Struct({ port: Schema.Int, perSecond: Schema.Number, seconds: Schema.Number })

/** Created products, with the due and response times on the shared clock. */
export const WriteResult = Schema.Struct({
  products: Schema.Array(Schema.String),
  due: Schema.Array(Schema.Number),
  answered: Schema.Array(Schema.Number)
})
export type WriteResult = typeof WriteResult.Type

/** Continues from job to job, so that writes of one installation are far apart. */
let written = 0
const run = Date.now().toString(36)

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

const create = (port: number, n: number, isRetry = false): Promise<string> => {
  const { body = "", installation, method, path } = REQUESTS.create(n)
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: {
        authorization: `Bearer ${tokenOf(installation)}`,
        "idempotency-key": `${run}-${n}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body)
      }
    })
    // A server may close an idle connection just when it is used. The idempotency key makes the retry safe.
    sent.on("error", (problem) => (isRetry ? reject(problem) : resolve(create(port, n, true))))
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (text += piece))
      response.on("end", () => {
        const [, id] = /"id":"([^"]+)"/.exec(text) ?? []
        if (response.statusCode === 201 && id !== undefined) resolve(id)
        else reject(new Error(`Status ${response.statusCode}: ${text.slice(0, 500)}`))
      })
    })
    sent.end(body)
  })
}

const perform = async ({ perSecond, port, seconds }: typeof WriteJob.Type): Promise<WriteResult> => {
  const begin = now() + 100
  const due = Array.from({ length: perSecond * seconds }, (_, index) => begin + (index * 1000) / perSecond)
  const products: Array<string> = []
  const answered: Array<number> = []
  const problems: Array<unknown> = []
  const writes: Array<Promise<void>> = []
  for (const [index, time] of due.entries()) {
    const early = time - now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const record = (id: string) => {
      products[index] = id
      answered[index] = now()
    }
    writes.push(create(port, written++).then(record, (problem: unknown) => void problems.push(problem)))
  }
  await Promise.all(writes)
  if (problems.length > 0) throw new Error(`${problems.length} writes failed, the first with ${String(problems[0])}`)
  return { products, due, answered }
}

const decode = Schema.decodeUnknownSync(WriteJob)

export const serveWriter = (): void => serveMessages((message) => perform(decode(message)))
