import { Effect } from "effect"
import type Pg from "pg"
import { type Contender, enter, say } from "./arena.ts"
import { analyze, settle } from "./cluster.ts"
import { costed } from "./cost.ts"
import { makeDriver } from "./driver.ts"
import { middle } from "./measure.ts"
import type { Options } from "./options.ts"
import { allReached, BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { OURS, seed } from "./seed.ts"
import { SERVICE } from "./servers.ts"
import { textOf, type Work, WORKS } from "./works.ts"

const MEASURED = ["create", "rpcCreate", "mcpGet", "mcpList", "mcpCreate"] as const satisfies ReadonlyArray<Work>

/** What a tool may cost: 1.5 ms where a create over REST takes 0.55, wherever it runs. */
const MOST_CREATES = 2.7

/** A merchant who is signed in, and an agent, for each installation: with its id, its store and its token. */
export const seedCallers = async (db: Pg.Client) => {
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

/** A call is answered with 200 also where it is refused. */
const check = async ({ port }: Contender) => {
  for (const work of MEASURED) {
    const request = WORKS[work](0)
    const [head = "", body = ""] = textOf(request, port, `check-${work}`).split("\r\n\r\n")
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

/** Processor time of the server for a write over each surface, and for what agents read. */
export const surfaces = (
  server: string,
  { connections, roundMillis, roundRequests, rounds, warmUpRequests }: Options
) =>
  Effect.gen(function* () {
    const ours = yield* enter(server, "ours", SERVICE)
    yield* Effect.promise(() => seed([[ours.db, OURS]]))
    yield* Effect.promise(() => seedCallers(ours.db))
    yield* settle(ours.db)
    yield* Effect.promise(() => check(ours))
    const drive = yield* makeDriver
    const job = (work: Work) => ({ port: ours.port, work, connections })
    for (const work of MEASURED) yield* drive({ ...job(work), requests: warmUpRequests / 2, millis: 0 })
    yield* analyze(ours.db)

    const seen = new Map<Work, Array<number>>(MEASURED.map((work) => [work, []]))
    for (let round = 0; round < rounds; round++) {
      for (const work of round % 2 === 0 ? MEASURED : MEASURED.toReversed()) {
        const { server } = yield* costed(ours, drive({ ...job(work), requests: roundRequests, millis: roundMillis }))
        seen.get(work)?.push(server)
      }
    }
    const cpuOf = (work: Work) => middle(seen.get(work) ?? [])
    const rest = cpuOf("create")
    const lines = [
      boundLine("A create over RPC, against one over REST", cpuOf("rpcCreate"), rest, "µs", 1.3),
      boundLine("A tool that reads a product, against it too", cpuOf("mcpGet"), rest, "µs", MOST_CREATES),
      boundLine("A tool that reads a page", cpuOf("mcpList"), rest, "µs", MOST_CREATES),
      boundLine("A tool that creates a product", cpuOf("mcpCreate"), rest, "µs", MOST_CREATES)
    ]
    yield* say(`\nProcessor time of the server a call, medians of ${rounds} rounds.\n`)
    yield* say(`${table(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
