import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { META } from "./calls.ts"
import { middle } from "./measure.ts"
import { type Group, installationAt, tokenOf } from "./population.ts"

/* Requests of the attacks, on each surface. */

export const range = (count: number) => Array.from({ length: count }, (_, index) => index)

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/** Sends a request and reads its answer, as bytes that are not looked at. */
const sendTo = (port: number, method: string, path: string, headers: Record<string, string>, body?: string) =>
  Effect.callback<number>((resume) => {
    request({ agent, port, host: "127.0.0.1", method, path, headers }, (response) => {
      response.resume().on("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
    })
      .on("error", () => resume(Effect.succeed(0)))
      .end(body)
  })

/** Sends a request of one installation. */
export const ask = (port: number, group: Group, n: number, method: string, path: string, body?: string) =>
  sendTo(
    port,
    method,
    `/api/platform/v1${path}`,
    {
      authorization: `Bearer ${tokenOf(installationAt(group, n))}`,
      ...(body === undefined ? {} : { "content-type": "application/json", "idempotency-key": randomUUID() })
    },
    body
  )

/** Makes a call of one merchant, with the payload as JSON. */
export const call = (port: number, n: number, tag: string, payload: string) =>
  sendTo(
    port,
    "POST",
    "/rpc",
    { cookie: `session=${tokenOf(installationAt("deep", n))}`, "content-type": "application/ndjson" },
    `{"_tag":"Request","id":"1","tag":"${tag}","payload":${payload}}\n`
  )

/** Calls a tool as one agent, with the arguments as JSON. */
export const callTool = (port: number, n: number, name: string, args: string) =>
  sendTo(
    port,
    "POST",
    "/mcp",
    {
      authorization: `Bearer ${tokenOf(installationAt("deep", n))}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name
    },
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${JSON.stringify(META)}}}`
  )

/** So many at once; how many were answered with which status, and how long half of those and all of them took. */
export const flood = (
  count: number,
  one: (n: number) => Effect.Effect<number>,
  concurrency: number | "unbounded" = "unbounded"
) =>
  Effect.gen(function* () {
    const startedAt = Date.now()
    const seconds = () => (Date.now() - startedAt) / 1000
    const timed = (n: number) => Effect.map(one(n), (status) => ({ status, took: seconds() }))
    const answers = yield* Effect.forEach(range(count), timed, { concurrency })
    const tally = [...new Set(answers.map(({ status }) => status))].map((status) => {
      const times = answers.filter((other) => other.status === status).map(({ took }) => took)
      return `${times.length} with ${status} (p50 ${middle(times).toFixed(2)} s)`
    })
    return `${tally.join(", ")} in ${seconds().toFixed(1)} s`
  })
