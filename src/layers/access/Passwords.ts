import { hash, type Options, verify } from "@node-rs/argon2"
import { Context, Effect, Layer, Redacted, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { SignInBusy } from "../../domain/access/Sessions.ts"

/**
 * Argon2id with 19 MiB, two passes and one lane (OWASP, Password Storage Cheat Sheet): the library's own settings, said
 * here so that they are ours. The library brings its binary along and runs nothing at install.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } satisfies Options

/**
 * Hashes computed at once. Each takes a whole core and one of the four threads that file reads and DNS lookups use too:
 * on two cores a second one would compete with the event loop.
 */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))

/** Requests that may wait for their turn: about two seconds of work. */
export const MAX_WAITING = 64

const RETRY_AFTER = 2

const textOf = (password: Redacted.Redacted) => Redacted.value(password).normalize("NFKC")

const base64 = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "")

/** Compared for an account that does not exist: it costs the same as a real hash, and no password matches it. */
const NOBODY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${base64(16)}$${base64(32)}`

/** A turn holds until its thread is free again, also when its client goes: abandoned hashes would fill the threads. */
const onThread = <A>(work: () => Promise<A>) => Effect.uninterruptible(Effect.promise(work))

const make = (password: Redacted.Redacted) => onThread(() => hash(textOf(password), COST))

/** Compares a password with the hash of an account. Takes as long when there is no account. */
const isSame = (hashed: string | undefined, password: Redacted.Redacted) =>
  Effect.map(
    onThread(() => verify(hashed ?? NOBODY, textOf(password))),
    (isSame) => isSame && hashed !== undefined
  )

/** Hash computations of one turn. */
const hashing = { make, isSame }

const makePasswords = Effect.gen(function* () {
  const turn = (yield* Semaphore.make(AT_ONCE)).withPermits(1)
  let admitted = 0
  return {
    /** The hash of a password, in its turn. For operators, who wait however long the line is. */
    make: (password: Redacted.Redacted) => turn(make(password)),

    /** Runs work of a request in its turn, first come, first served. Refused at once where too many wait already. */
    withPermit: <A, E>(work: (compute: typeof hashing) => Effect.Effect<A, E>): Effect.Effect<A, E | SignInBusy> =>
      Effect.acquireUseRelease(
        Effect.suspend((): Effect.Effect<number, SignInBusy> =>
          admitted < AT_ONCE + MAX_WAITING ? Effect.sync(() => admitted++) : new SignInBusy({ retryAfter: RETRY_AFTER })
        ),
        () => turn(work(hashing)),
        () => Effect.sync(() => admitted--)
      )
  }
})

/** Hashes of passwords, made and compared: one line for the whole process, as its threads and cores are shared. */
export class Passwords extends Context.Service<Passwords, Effect.Success<typeof makePasswords>>()("layers/Passwords") {}

export const PasswordsLive = Layer.effect(Passwords, makePasswords)
