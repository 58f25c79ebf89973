import { Effect, Schema } from "effect"
import { Email, Merchants, Password } from "../../src/domain/access/Merchants.ts"
import { Stores } from "../../src/domain/access/Stores.ts"
import { createDatabase } from "../bench/database.ts"
import { agreeingMember, makePoster, type Posted, register, statusOf, tokensOf } from "../support/oauth/Oauth.ts"
import type { Sizes } from "./options.ts"
import { startServer } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeServices } from "./fixture.ts"

/** Concurrent exchanges of one code or refresh token, at two servers in turn. */
const CONCURRENCY = 64

/** Makes a member of a store who gives consent to apps. */
const makeMember = Effect.gen(function* () {
  const { create } = yield* Merchants
  const stores = yield* Stores
  const email = Schema.decodeSync(Email)("ada@example.com")
  const id = yield* create({ email, name: "Ada", password: Schema.decodeSync(Password)("correct horse battery") })
  const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
  return yield* agreeingMember(storeId, { email, id })
})

type Poster = ReturnType<typeof makePoster>

const race = (posters: ReadonlyArray<Poster>, ask: (poster: Poster) => Effect.Effect<Posted>) =>
  Effect.all(Array.from({ length: CONCURRENCY / posters.length }, () => posters.map(ask)).flat(), {
    concurrency: "unbounded"
  })

const formatError = ({ error, status }: Posted) => `${status} ${String(error)}`

const isGranted = ({ status }: Posted) => status === 200

/** Tokens of a response, without their lifetime. */
const pairOf = (answer: Posted) => {
  const { access_token, refresh_token } = tokensOf(answer)
  return `${access_token} ${refresh_token}`
}

/** Faults by invariant. */
const makeFaults = () => ({
  codes: new Array<string>(),
  living: new Array<string>(),
  tokens: new Array<string>(),
  failing: new Array<string>(),
  unexpected: new Array<string>()
})

/** Exchanges the same code, and the same refresh token, many times at once at two servers. */
export const concurrentExchanges = (server: string, { "oauth-rounds": rounds }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("presented at once")
    const url = yield* createDatabase(server, "soak")
    const one = new URL(yield* startServer(url)).origin
    const bases = [one, new URL(yield* startServer(url)).origin]
    const faults = makeFaults()
    const [codes, tokens] = [
      { granted: 0, refused: 0 },
      { granted: 0, refused: 0 }
    ]
    let done = 0

    const count = (counts: typeof codes, answers: ReadonlyArray<Posted>) => {
      const granted = answers.filter(isGranted)
      const refused = answers.filter((answer) => !isGranted(answer))
      counts.granted += granted.length
      counts.refused += refused.length
      faults.unexpected.push(...refused.map(formatError).filter((line) => line !== "400 invalid_grant"))
      return { granted, refused }
    }

    /** Statuses of both servers for the access token and the refresh token of a set. */
    const statusesOf = (posters: ReadonlyArray<Poster>, answer: Posted) =>
      Effect.gen(function* () {
        const { access_token, refresh_token } = tokensOf(answer)
        const statuses = yield* Effect.forEach(bases, (base) => statusOf(base, access_token))
        const refreshed = yield* Effect.forEach(posters, ({ refresh }) => refresh(refresh_token))
        return [...statuses, ...refreshed.map(({ status }) => status)].join(" ")
      })

    const round = Effect.fn(function* (agree: Effect.Success<typeof makeMember>["agree"]) {
      // A new app per round, because failures are limited per client.
      const app = yield* register()
      const posters = bases.map((base) => makePoster(base, app))
      const code = yield* agree(app)
      const exchanged = count(codes, yield* race(posters, ({ token }) => token(code)))
      if (exchanged.granted.length !== 1) faults.codes.push(`${exchanged.granted.length} token sets`)
      for (const answer of exchanged.granted) {
        const statuses = yield* statusesOf(posters, answer)
        if (statuses !== "401 401 400 400") faults.living.push(statuses)
      }

      const consent = yield* agree(app)
      const { refresh_token } = tokensOf(yield* makePoster(one, app).token(consent))
      const refreshed = count(tokens, yield* race(posters, ({ refresh }) => refresh(refresh_token)))
      const pairs = new Set(refreshed.granted.map(pairOf))
      if (pairs.size !== 1 || refreshed.refused.length > 0) {
        faults.tokens.push(`${pairs.size} successors and ${refreshed.refused.length} refusals`)
      }
      for (const answer of refreshed.granted.slice(0, 1)) {
        const statuses = yield* statusesOf(posters, answer)
        if (statuses !== "200 200 200 200") faults.failing.push(statuses)
      }
      done += 1
    })

    yield* Effect.gen(function* () {
      const { agree } = yield* makeMember
      yield* withProgress(
        () => `rounds ${done}/${rounds}`,
        Effect.repeat(round(agree), { until: () => done >= rounds })
      )
    }).pipe(Effect.provide(makeServices(url)))
    invariants.atLeast("rounds", done, rounds)
    invariants.none("codes without exactly one token set", faults.codes)
    invariants.none("token sets that outlive the second use of their code", faults.living)
    invariants.none("refresh tokens without exactly one successor for all requests", faults.tokens)
    invariants.none("successors that do not work at both servers", faults.failing)
    invariants.none("responses other than tokens and 400 invalid_grant", faults.unexpected)
    invariants.fact("codes presented: granted · refused", `${codes.granted} · ${codes.refused}`)
    invariants.fact("refresh tokens presented: granted · refused", `${tokens.granted} · ${tokens.refused}`)
    return invariants.all
  }).pipe(Effect.scoped, Effect.orDie)
