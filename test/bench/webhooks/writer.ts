import { Schema } from "effect"
import { Agent, request } from "node:http"
import { tokenOf } from "../population.ts"
import { WORKS } from "../works.ts"
import { now } from "./clock.ts"
import { serve } from "./helper.ts"

/** Creates products at a rate, each when its time has come, whatever became of those before. */
export const Order = Schema.Struct({ port: Schema.Int, perSecond: Schema.Number, seconds: Schema.Number })

/** The products that were made, when each was due and when its answer had come, on the shared clock. */
export const Written = Schema.Struct({
  products: Schema.Array(Schema.String),
  due: Schema.Array(Schema.Number),
  answered: Schema.Array(Schema.Number)
})
export type Written = typeof Written.Type

/** Goes on from order to order, so that each installation's window sees its writes far apart. */
let written = 0
const run = Date.now().toString(36)

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

const create = (port: number, n: number, isAgain = false): Promise<string> => {
  const { body = "", installation, method, path } = WORKS.create(n)
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
    // A server may close a connection that was idle just as it is used; the key makes it safe to send again.
    sent.on("error", (problem) => (isAgain ? reject(problem) : resolve(create(port, n, true))))
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (text += piece))
      response.on("end", () => {
        const [, id] = /"id":"([^"]+)"/.exec(text) ?? []
        if (response.statusCode === 201 && id !== undefined) resolve(id)
        else reject(new Error(`Answered ${response.statusCode}: ${text.slice(0, 500)}`))
      })
    })
    sent.end(body)
  })
}

const perform = async ({ perSecond, port, seconds }: typeof Order.Type): Promise<Written> => {
  const begin = now() + 100
  const due = Array.from({ length: perSecond * seconds }, (_, index) => begin + (index * 1000) / perSecond)
  const products: Array<string> = []
  const answered: Array<number> = []
  const problems: Array<unknown> = []
  const writes: Array<Promise<void>> = []
  for (const [index, time] of due.entries()) {
    const early = time - now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const keep = (id: string) => {
      products[index] = id
      answered[index] = now()
    }
    writes.push(create(port, written++).then(keep, (problem: unknown) => void problems.push(problem)))
  }
  await Promise.all(writes)
  if (problems.length > 0) throw new Error(`${problems.length} writes failed, the first with ${String(problems[0])}`)
  return { products, due, answered }
}

const decode = Schema.decodeUnknownSync(Order)

export const serveWriter = (): void => serve((message) => perform(decode(message)))
