import { Effect, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { ServerPair, BenchmarkServer } from "../serverPair.ts"
import { MEDIUM_STORE, INSTALLATIONS, tokenOf } from "../seed/population.ts"
import type { RunningServer } from "../servers.ts"
import { REQUESTS } from "../load/requests.ts"
import type { Request } from "../load/wire.ts"

/*
 * Checks that both servers do the same work before their speed is compared: equal responses, equal rows of a write, and
 * an active rate limit.
 */

interface Answered {
  readonly status: number
  readonly body: unknown
  readonly text: string
}

const ask = async ({ base }: RunningServer, { body, installation, method, path }: Request, key: string) => {
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      authorization: `Bearer ${tokenOf(installation)}`,
      ...(body !== undefined && { "content-type": "application/json", "idempotency-key": key })
    },
    ...(body !== undefined && { body })
  })
  const text = await response.text()
  const parsed: unknown = JSON.parse(text)
  return { status: response.status, body: parsed, text } satisfies Answered
}

const Matches = Schema.Struct({ data: Schema.Struct({ productCount: Schema.Literal(MEDIUM_STORE.matches) }) })

/** Fields with ids and times, which differ between servers. */
const GENERATED_FIELDS = new Set(["id", "createdAt", "updatedAt"])

const withoutGenerated = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => (GENERATED_FIELDS.has(key) ? null : value))

const assertSame = (what: string, a: unknown, b: unknown) => {
  if (!isDeepStrictEqual(a, b)) {
    throw new Error(
      `The servers differ in ${what}:\n${JSON.stringify(a)?.slice(0, 3000)}\n${JSON.stringify(b)?.slice(0, 3000)}`
    )
  }
}

const reads = async (service: RunningServer, baseline: RunningServer) => {
  const requests = [
    REQUESTS.list(1),
    REQUESTS.listFew(2),
    REQUESTS.orders(3),
    REQUESTS.entry(3),
    ...Array.from({ length: MEDIUM_STORE.collections }, (_, n) => REQUESTS.collection(n))
  ]
  for (const request of requests) {
    const [a, b] = await Promise.all([ask(service, request, ""), ask(baseline, request, "")])
    assertSame(request.path, a.status, 200)
    assertSame(request.path, a.body, b.body)
    if (request.path.includes("/collections/")) Schema.decodeUnknownSync(Matches)(a.body)
  }
}

/** Counts events and idempotency records. A replay adds none. */
const rowsOf = async ({ db }: BenchmarkServer) => {
  const { rows } = await db.query(`
    select (select count(*) from events)::integer as events, (select count(*) from idempotency_records)::integer as records
  `)
  return rows
}

const writes = async (service: BenchmarkServer, baseline: BenchmarkServer) => {
  for (const request of [
    REQUESTS.create(999_999_999),
    REQUESTS.update(3),
    REQUESTS.inventory(4),
    REQUESTS.putEntry(5)
  ]) {
    const key = `parity-${request.path}`
    const [a, b] = await Promise.all([ask(service, request, key), ask(baseline, request, key)])
    assertSame(`${request.method} ${request.path}`, a.status, b.status)
    assertSame(`${request.method} ${request.path}`, withoutGenerated(a.text), withoutGenerated(b.text))
    const again = await Promise.all([ask(service, request, key), ask(baseline, request, key)])
    assertSame(`a replay of ${request.method}`, again, [a, b])
  }
  for (const side of [service, baseline])
    assertSame("the rows of writes", await rowsOf(side), [{ events: 3, records: 4 }])
}

const checkRateLimit = async (server: RunningServer) => {
  const request = { ...REQUESTS.listFew(0), installation: INSTALLATIONS.spare.first }
  const statuses = await Promise.all(Array.from({ length: 103 }, async () => (await ask(server, request, "")).status))
  assertSame("the rate limit", statuses.filter((status) => status === 200).length, 100)
  assertSame("the rate limit", statuses.filter((status) => status === 429).length, 3)
}

export const checkParity = ({ service, baseline }: ServerPair): Effect.Effect<void> =>
  Effect.promise(async () => {
    await reads(service, baseline)
    await writes(service, baseline)
    await checkRateLimit(service)
    await checkRateLimit(baseline)
  })
