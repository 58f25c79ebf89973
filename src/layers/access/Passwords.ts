import { hash, type Options, verify } from "@node-rs/argon2"
import { Effect, Redacted } from "effect"

/**
 * Argon2id with 19 MiB, two passes and one lane (OWASP, Password Storage Cheat Sheet): the library's own settings, said
 * here so that they are ours. The library brings its binary along and runs nothing at install.
 */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes made at once: each takes a thread of four, which file reads and look-ups of names want, too, and 19 MiB. */
const AT_ONCE = 2

const textOf = (password: Redacted.Redacted) => Redacted.value(password).normalize("NFKC")

/** Hashes of passwords, made and compared. */
export const makePasswords = Effect.gen(function* () {
  const turn = (yield* Effect.makeSemaphore(AT_ONCE)).withPermits(1)
  const make = (text: string) => turn(Effect.promise(() => hash(text, COST)))
  // What is compared for an account that there is not: it takes as long, and no password is it.
  const nobody = yield* Effect.cached(make(crypto.randomUUID()))
  return {
    make: (password: Redacted.Redacted) => make(textOf(password)),

    /** Whether the password is the one that was hashed. Takes as long when there is no hash. */
    isSame: (hashed: string | undefined, password: Redacted.Redacted) =>
      Effect.flatMap(hashed === undefined ? nobody : Effect.succeed(hashed), (known) =>
        turn(Effect.promise(() => verify(known, textOf(password))))
      ).pipe(Effect.map((isSame) => isSame && hashed !== undefined))
  }
})
