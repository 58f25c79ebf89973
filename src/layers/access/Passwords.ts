import { hash, type Options, verify } from "@node-rs/argon2"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { SignInBusy } from "../../domain/access/Sessions.ts"
import { makePaced } from "../Pacing.ts"

/** Argon2id with 19 MiB, two passes and one lane (OWASP Password Storage Cheat Sheet), the defaults of the library. */
export const HashCost = Context.Reference("layers/access/HashCost", {
  defaultValue: () => ({ memoryCost: 19_456, timeCost: 2, parallelism: 1 }) satisfies Options
})

/**
 * Maximum number of concurrent hashes. Each takes a whole core and one of the four threads that file reads and DNS lookups
 * share: on two cores, a second one would compete with the event loop. The thread rests after each hash for as long as it
 * took, because strangers can request hashes without pause.
 */
const MAX_CONCURRENT = Math.min(2, Math.max(1, availableParallelism() - 1))

/** Maximum number of waiting requests: about four seconds of work and rest. */
export const MAX_WAITING = 64

const RETRY_AFTER = 2

const textOf = (password: Redacted.Redacted) => Redacted.value(password).normalize("NFKC")

const base64 = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "")

/**
 * Makes a random hash, which no password has: for accounts without a password, and for those that do not exist. Comparing
 * with it costs the same as with a real one.
 */
export const makeDummyHash = ({ memoryCost, parallelism, timeCost }: typeof HashCost.Service) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`

/** Keeps the permit until the thread is free, even if the client disconnects: abandoned hashes would block all threads. */
const onThread = <A>(work: () => Promise<A>) => Effect.uninterruptible(Effect.promise(work))

/** Hash computations that share one permit. */
const makeHashing = (cost: typeof HashCost.Service) => {
  const dummyHash = makeDummyHash(cost)
  return {
    makeHash: (password: Redacted.Redacted) => onThread(() => hash(textOf(password), cost)),

    /** Compares a password with the hash of an account. Takes the same time if there is no account. */
    matches: (passwordHash: string | undefined, password: Redacted.Redacted) =>
      Effect.map(
        onThread(() => verify(passwordHash ?? dummyHash, textOf(password))),
        (isMatch) => isMatch && passwordHash !== undefined
      )
  }
}

export type Hashing = ReturnType<typeof makeHashing>

/** Computes password hashes. One queue serves the whole process, whose threads and cores are shared. */
export class Passwords extends Context.Service<Passwords>()("layers/Passwords", {
  make: Effect.gen(function* () {
    const hashing = makeHashing(yield* HashCost)
    const withPermit = yield* makePaced(MAX_CONCURRENT)
    let requests = 0
    const enter = Effect.suspend((): Effect.Effect<number, SignInBusy> =>
      requests < MAX_CONCURRENT + MAX_WAITING
        ? Effect.sync(() => requests++)
        : new SignInBusy({ retryAfter: RETRY_AFTER })
    )
    const leave = Effect.sync(() => requests--)

    return {
      /** Hashes a password. Waits without a limit, for commands of operators. */
      makeHash: Effect.fn("Passwords.makeHash")((password: Redacted.Redacted) =>
        withPermit(hashing.makeHash(password))
      ),

      /** Runs the work of a request, in the order of arrival. Fails at once if too many requests wait. */
      withPermit: <A, E>(work: (compute: Hashing) => Effect.Effect<A, E>): Effect.Effect<A, E | SignInBusy> =>
        Effect.acquireUseRelease(
          enter,
          () => withPermit(work(hashing)),
          () => leave
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
