import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("It did not reject"),
      (reason: unknown) => reason
    )
  )

/** Likewise, which is of the class. */
export const rejectionOf = <E>(errors: new (...args: never) => E, promise: Promise<unknown>) =>
  Effect.map(rejection(promise), (reason): E => {
    if (reason instanceof errors) return reason
    throw reason
  })
