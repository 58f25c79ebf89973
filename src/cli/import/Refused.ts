import { Effect } from "effect"
import { closeSync, openSync, writeSync } from "node:fs"
import type { Refusal } from "./Batches.ts"

/** Writes refused rows to a file, which there is from the first of them on: a line of JSON for each. */
export const refusedTo = (file: string) =>
  Effect.gen(function* () {
    let opened: number | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => opened !== undefined && closeSync(opened)))
    return (refusals: ReadonlyArray<Refusal>) => {
      if (refusals.length === 0) return
      opened ??= openSync(file, "w")
      writeSync(opened, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(""))
    }
  })
