import { Effect } from "effect"
import type Pg from "pg"
import { type BenchmarkServer, startBenchmarkServer } from "../serverPair.ts"
import { begin, openTable, rounds, step } from "../output.ts"
import { analyze, vacuumAndCheckpoint } from "../database.ts"
import { measureCost } from "../measure/cost.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { SERVICE_SEEDING, seed } from "../seed/seed.ts"
import { SERVICE } from "../servers.ts"
import { formatRequest, type RequestKind, REQUESTS } from "../load/requests.ts"

const MEASURED = ["create", "rpcCreate", "mcpGet", "mcpList", "mcpCreate"] as const satisfies ReadonlyArray<RequestKind>

/** Maximum ratio of a tool call's CPU time to that of a create over REST (0.55 ms). */
const MOST_CREATES = 2.7

/** Inserts a merchant with a session and an agent for each installation, with its id, store and token. */
export const seedMerchantsAndAgents = async (db: Pg.Client) => {
  await db.query(
    "insert into merchants (id, email, name, password_hash) select id, id || '@bench.example', 'Bench', '-' from installations"
  )
  await db.query("insert into merchant_call_windows (merchant_id) select id from merchants")
  await db.query("insert into members (store_id, merchant_id, role) select store_id, id, 'owner' from installations")
  await db.query(`
    insert into sessions (token_hash, id, merchant_id, address, created_at, seen_at, ends_at, last_end)
    select token_hash, installation_id, installation_id, '-', now(), now(), expires_at, expires_at from access_tokens
  `)
  await db.query(`
    insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by)
    select store_id, installation_id, token_hash, 'Bench', '{read_products,write_products}', 100000, 1000, false, installation_id
    from access_tokens
  `)
  await db.query("insert into agent_windows (store_id, agent_id) select store_id, id from agents")
}

/** Checks that all calls succeed. A refused call has status 200 too. */
const check = async ({ port }: BenchmarkServer) => {
  for (const work of MEASURED) {
    const request = REQUESTS[work](0)
    const [head = "", body = ""] = formatRequest(request, port, `check-${work}`).split("\r\n\r\n")
    const headers = head.split("\r\n").slice(2, -1)
    const response = await fetch(`http://127.0.0.1:${port}${request.path}`, {
      method: request.method,
      headers: headers.map((line): [string, string] => [line.split(": ")[0] ?? "", line.slice(line.indexOf(": ") + 2)]),
      body
    })
    const text = await response.text()
    if (!response.ok || /"isError":true|"_tag":"Failure"/.test(text)) throw new Error(`${work}: ${text}`)
  }
}

/** Measures the server's CPU time of a write over each surface, and of an agent's reads. */
export const surfaces = (server: string, options: Options) =>
  Effect.gen(function* () {
    const { connections, roundMillis, roundRequests, warmUp } = options
    yield* begin("surfaces", 3)
    yield* step("seeding")
    const service = yield* startBenchmarkServer(server, "service", SERVICE)
    yield* Effect.promise(() => seed([[service.db, SERVICE_SEEDING]]))
    yield* Effect.promise(() => seedMerchantsAndAgents(service.db))
    yield* vacuumAndCheckpoint(service.db)
    yield* Effect.promise(() => check(service))
    const drive = yield* makeLoadDriver
    yield* step("warm-up")
    const job = (work: RequestKind) => ({ port: service.port, work, connections })
    for (const work of MEASURED) yield* drive({ ...job(work), ...warmUp })
    yield* analyze(service.db)

    const seen = new Map<RequestKind, Array<number>>(MEASURED.map((work) => [work, []]))
    yield* step("calls")
    const printRound = yield* openTable(["CPU µs of the server per call", ...MEASURED])
    yield* rounds(
      options.rounds,
      Effect.fnUntraced(function* (round) {
        for (const work of round % 2 === 0 ? MEASURED : MEASURED.toReversed()) {
          const { server } = yield* measureCost(
            service,
            drive({ ...job(work), requests: roundRequests, millis: roundMillis })
          )
          seen.get(work)?.push(server)
        }
        const cells = MEASURED.map((work) => seen.get(work)?.at(-1)?.toFixed(0) ?? "")
        yield* printRound({ cells: [`Round ${round + 1}`, ...cells] })
      })
    )
    const cpuOf = (work: RequestKind) => medianOf(seen.get(work) ?? [])
    const rest = cpuOf("create")
    const lines = [
      boundLine("A create over RPC, against one over REST", cpuOf("rpcCreate"), rest, "µs", 1.3),
      boundLine("A tool that reads a product, likewise", cpuOf("mcpGet"), rest, "µs", MOST_CREATES),
      boundLine("A tool that reads a page", cpuOf("mcpList"), rest, "µs", MOST_CREATES),
      boundLine("A tool that creates a product", cpuOf("mcpCreate"), rest, "µs", MOST_CREATES)
    ]
    yield* Effect.forEach(lines, yield* openTable(BOUND_HEADINGS))
  }).pipe(Effect.scoped)
