import { Effect } from "effect"
import { type Arena, enter, say } from "./arena.ts"
import { settle } from "./cluster.ts"
import { makeDriver } from "./driver.ts"
import { compete, type Pair } from "./measure.ts"
import type { Options } from "./options.ts"
import { allReached, costHeadings, costLines, rateHeadings, rateLine, table } from "./report.ts"
import { seedOurGrants, seedTheirGrants } from "./seedGrants.ts"
import { type RunningServer, SERVICE, SIDES, TOKENS_BASELINE } from "./servers.ts"
import { type Work, WORKS } from "./works.ts"

const CONTESTS = [
  { work: "exchange", title: "A code exchanged" },
  { work: "refresh", title: "A refresh token exchanged" }
] as const satisfies ReadonlyArray<{ readonly work: Work; readonly title: string }>

/** Times the rate of the other side. */
const AT_LEAST = 1.5

const MEMBERS = ["access_token", "expires_in", "refresh_token", "scope", "token_type"]

const ask = async ({ base }: RunningServer, work: (typeof CONTESTS)[number]["work"], n: number) => {
  const { body = "", path } = WORKS[work](n)
  const response = await fetch(new URL(path, base), { method: "POST", body: new URLSearchParams(body) })
  const answer: unknown = await response.json()
  return { status: response.status, answer: typeof answer === "object" && answer !== null ? answer : {} }
}

/** Both sides do the same: a code is exchanged once, for both tokens, and so is a refresh token. */
const checkParity = async (server: RunningServer, n: number) => {
  for (const { work } of CONTESTS) {
    const { answer, status } = await ask(server, work, n)
    if (status !== 200 || MEMBERS.some((member) => !(member in answer)))
      throw new Error(`${work}: ${status} ${JSON.stringify(answer)}`)
  }
  const { answer, status } = await ask(server, "exchange", n)
  if (status !== 400) throw new Error(`A code that was used: ${status} ${JSON.stringify(answer)}`)
}

const report = (results: ReadonlyArray<{ readonly title: string; readonly pairs: ReadonlyArray<Pair> }>) => {
  const rates = results.map(({ pairs, title }) => rateLine(title, pairs, AT_LEAST))
  const costs = results.flatMap(({ pairs, title }) => costLines(title, pairs, {}))
  const tables = [table(rateHeadings("oidc-provider"), rates), table(costHeadings("oidc-provider"), costs)]
  return Effect.as(say(`\n${tables.join("\n\n")}\n`), allReached(rates))
}

/** Codes and refresh tokens exchanged, beside `oidc-provider` on tables of its own. */
export const tokens = (server: string, options: Options) =>
  Effect.gen(function* () {
    const arena: Arena = {
      ours: yield* enter(server, "ours", SERVICE),
      baseline: yield* enter(server, "baseline", TOKENS_BASELINE)
    }
    // Each is good once: rounds end with their requests, so that it is known how many there have to be.
    const rounds = { ...options, roundMillis: 0, roundRequests: 2 * options.roundRequests }
    const count = CONTESTS.length * (rounds.warmUpRequests + rounds.rounds * rounds.roundRequests)
    yield* Effect.promise(() => seedOurGrants(arena.ours.db, count + 1))
    yield* Effect.promise(() => seedTheirGrants(arena.baseline.db, count + 1))
    for (const side of SIDES) {
      yield* settle(arena[side].db)
      yield* Effect.promise(() => checkParity(arena[side], count))
    }
    const drive = yield* makeDriver
    const results = yield* Effect.forEach(CONTESTS, ({ title, work }) =>
      Effect.map(compete(arena, drive, work, rounds), (pairs) => ({ title, pairs }))
    )
    return yield* report(results)
  }).pipe(Effect.scoped)
