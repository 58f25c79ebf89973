import { Effect } from "effect"
import { type ServerPair, startBenchmarkServer } from "../serverPair.ts"
import { begin, openTable, step } from "../output.ts"
import { vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { compareServers } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { compareHeadings, costLines, rateLine } from "../measure/report.ts"
import { seedServiceGrants, seedBaselineGrants } from "../seed/grants.ts"
import { type RunningServer, SERVICE, SIDES, TOKENS_BASELINE } from "../servers.ts"
import { type RequestKind, REQUESTS } from "../load/requests.ts"

const COMPARISONS = [
  { work: "exchange", title: "A code exchanged" },
  { work: "refresh", title: "A refresh token exchanged" }
] as const satisfies ReadonlyArray<{ readonly work: RequestKind; readonly title: string }>

/** Minimum ratio to the rate of the baseline. */
const AT_LEAST = 1.5

const MEMBERS = ["access_token", "expires_in", "refresh_token", "scope", "token_type"]

const ask = async ({ base }: RunningServer, work: (typeof COMPARISONS)[number]["work"], n: number) => {
  const { body = "", path } = REQUESTS[work](n)
  const response = await fetch(new URL(path, base), { method: "POST", body: new URLSearchParams(body) })
  const answer: unknown = await response.json()
  return { status: response.status, answer: typeof answer === "object" && answer !== null ? answer : {} }
}

/** Checks that a server exchanges a code and a refresh token once, each for both tokens. */
const checkParity = async (server: RunningServer, n: number) => {
  for (const { work } of COMPARISONS) {
    const { answer, status } = await ask(server, work, n)
    if (status !== 200 || MEMBERS.some((member) => !(member in answer)))
      throw new Error(`${work}: ${status} ${JSON.stringify(answer)}`)
  }
  const { answer, status } = await ask(server, "exchange", n)
  if (status !== 400) throw new Error(`A code that was used: ${status} ${JSON.stringify(answer)}`)
}

/** Compares the exchange of codes and refresh tokens with `oidc-provider`. */
export const tokens = (server: string, options: Options) =>
  Effect.gen(function* () {
    yield* begin("tokens", COMPARISONS.length + 1)
    yield* step("seeding")
    const arena: ServerPair = {
      service: yield* startBenchmarkServer(server, "service", SERVICE),
      baseline: yield* startBenchmarkServer(server, "baseline", TOKENS_BASELINE)
    }
    // Each is used once. Rounds have a fixed number of requests, so that their number is known.
    const warmUp = { requests: 5 * options.roundRequests, millis: 0 }
    const rounds = { ...options, warmUp, roundMillis: 0, roundRequests: 2 * options.roundRequests }
    const count = COMPARISONS.length * (warmUp.requests + rounds.rounds * rounds.roundRequests)
    yield* Effect.promise(() => seedServiceGrants(arena.service.db, count + 1))
    yield* Effect.promise(() => seedBaselineGrants(arena.baseline.db, count + 1))
    for (const side of SIDES) {
      yield* vacuumAndCheckpoint(arena[side].db)
      yield* Effect.promise(() => checkParity(arena[side], count))
    }
    const drive = yield* makeLoadDriver
    const printRow = yield* openTable(compareHeadings("oidc-provider"))
    for (const { title, work } of COMPARISONS) {
      yield* step(title)
      const pairs = yield* compareServers(arena, drive, work, rounds)
      yield* printRow(rateLine(title, pairs, AT_LEAST))
      yield* Effect.forEach(costLines(title, pairs, {}), printRow)
    }
  }).pipe(Effect.scoped)
