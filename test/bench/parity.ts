import { Effect, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Arena, Contender } from "./arena.ts"
import { DEEP, INSTALLATIONS, tokenOf } from "./population.ts"
import type { RunningServer } from "./servers.ts"
import { type Request, WORKS } from "./works.ts"

/*
 * Both servers must do the same job before their speed is compared: the same answers to the same requests, the same
 * rows of a write, and a window that is on.
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

const Matches = Schema.Struct({ data: Schema.Struct({ productCount: Schema.Literal(DEEP.matches) }) })

/** Ids and times that each server makes by itself. */
const OWN = new Set(["id", "createdAt", "updatedAt"])

const withoutOwn = (text: string): unknown => JSON.parse(text, (key, value: unknown) => (OWN.has(key) ? null : value))

const agree = (what: string, a: unknown, b: unknown) => {
  if (!isDeepStrictEqual(a, b)) {
    throw new Error(
      `The servers disagree on ${what}:\n${JSON.stringify(a)?.slice(0, 3000)}\n${JSON.stringify(b)?.slice(0, 3000)}`
    )
  }
}

const reads = async (ours: RunningServer, baseline: RunningServer) => {
  const requests = [
    WORKS.list(1),
    WORKS.listFew(2),
    WORKS.orders(3),
    WORKS.entry(3),
    ...Array.from({ length: DEEP.collections }, (_, n) => WORKS.collection(n))
  ]
  for (const request of requests) {
    const [a, b] = await Promise.all([ask(ours, request, ""), ask(baseline, request, "")])
    agree(request.path, a.status, 200)
    agree(request.path, a.body, b.body)
    if (request.path.includes("/collections/")) Schema.decodeUnknownSync(Matches)(a.body)
  }
}

/** Each write leaves its event and its record, its replay nothing. */
const rowsOf = async ({ db }: Contender) => {
  const { rows } = await db.query(`
    select (select count(*) from events)::integer as events, (select count(*) from idempotency_records)::integer as records
  `)
  return rows
}

const writes = async (ours: Contender, baseline: Contender) => {
  for (const request of [WORKS.create(999_999_999), WORKS.update(3), WORKS.inventory(4), WORKS.putEntry(5)]) {
    const key = `parity-${request.path}`
    const [a, b] = await Promise.all([ask(ours, request, key), ask(baseline, request, key)])
    agree(`${request.method} ${request.path}`, a.status, b.status)
    agree(`${request.method} ${request.path}`, withoutOwn(a.text), withoutOwn(b.text))
    const again = await Promise.all([ask(ours, request, key), ask(baseline, request, key)])
    agree(`a replay of ${request.method}`, again, [a, b])
  }
  for (const side of [ours, baseline]) agree("what writes leave", await rowsOf(side), [{ events: 3, records: 4 }])
}

const windowIsOn = async (server: RunningServer) => {
  const request = { ...WORKS.listFew(0), installation: INSTALLATIONS.spare.first }
  const statuses = await Promise.all(Array.from({ length: 103 }, async () => (await ask(server, request, "")).status))
  agree("the window", statuses.filter((status) => status === 200).length, 100)
  agree("the window", statuses.filter((status) => status === 429).length, 3)
}

export const checkParity = ({ ours, baseline }: Arena): Effect.Effect<void> =>
  Effect.promise(async () => {
    await reads(ours, baseline)
    await writes(ours, baseline)
    await windowIsOn(ours)
    await windowIsOn(baseline)
  })
