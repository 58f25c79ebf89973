import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { MCP_META } from "../load/procedureRequests.ts"
import { medianOf } from "../measure/rounds.ts"
import { type Group, installationAt, tokenOf } from "../seed/population.ts"

/* Requests of the attacks to REST, RPC and MCP. */

export const range = (count: number) => Array.from({ length: count }, (_, index) => index)

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/** Sends a request, discards the body of its response and returns the status, or 0 without a response. */
const sendTo = (
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
  localAddress = "127.0.0.1"
) =>
  Effect.callback<number>((resume) => {
    request({ agent, port, host: "127.0.0.1", localAddress, method, path, headers }, (response) => {
      response.resume().on("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
    })
      .on("error", () => resume(Effect.succeed(0)))
      .end(body)
  })

/** Sends a REST request of an installation. */
export const sendRequest = (port: number, group: Group, n: number, method: string, path: string, body?: string) =>
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

/** Uploads a picture of an installation. Bytes after the end of a picture make it different from every other. */
export const sendPicture = (port: number, group: Group, n: number, picture: Buffer) =>
  sendTo(
    port,
    "POST",
    "/api/platform/v1/files",
    {
      authorization: `Bearer ${tokenOf(installationAt(group, n))}`,
      "content-type": "image/jpeg",
      "idempotency-key": randomUUID()
    },
    Buffer.concat([picture, randomBytes(16)])
  )

/** Addresses of strangers. The limits of an address do not apply to them together. */
const STRANGERS = 64

/** Sends JSON without credentials, from one of many addresses that change with each run of the benchmark. */
export const sendAsStranger = (port: number, n: number, path: string, body: string) =>
  sendTo(
    port,
    "POST",
    path,
    { "content-type": "application/json" },
    body,
    `127.${1 + (process.pid % 250)}.0.${1 + (n % STRANGERS)}`
  )

/** Calls a procedure as a merchant, with a JSON payload. */
export const callProcedure = (port: number, n: number, tag: string, payload: string) =>
  sendTo(
    port,
    "POST",
    "/rpc",
    { cookie: `session=${tokenOf(installationAt("deep", n))}`, "content-type": "application/ndjson" },
    `{"_tag":"Request","id":"1","tag":"${tag}","payload":${payload}}\n`
  )

/** Calls a tool as an agent, with JSON arguments. */
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
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${JSON.stringify(MCP_META)}}}`
  )

/** Sends requests concurrently. Returns the count and median time by status, and the total time. */
export const sendConcurrently = (
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
      return `${times.length} with ${status} (p50 ${medianOf(times).toFixed(2)} s)`
    })
    return `${tally.join(", ")} in ${seconds().toFixed(1)} s`
  })
