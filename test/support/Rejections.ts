import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Returns the reason of a rejected promise. */
export const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("It did not reject"),
      (reason: unknown) => reason
    )
  )

/** Returns the reason of a rejected promise, which must be an instance of the class. */
export const rejectionOf = <E>(errors: new (...args: never) => E, promise: Promise<unknown>) =>
  Effect.map(rejection(promise), (reason): E => {
    if (reason instanceof errors) return reason
    throw reason
  })
