import { Effect } from "effect"
import { startNode, type Variables, waitUntil } from "../process/Process.ts"

/** Runs `partner-api stores move` for a store. */
export const mover = (variables: Variables, storeId: string) => {
  const start = (...args: ReadonlyArray<string>) =>
    startNode("cli", ["stores", "move", "--store", storeId, ...args], variables)
  return {
    start,

    /** Runs the command to its end. */
    run: (...args: ReadonlyArray<string>) =>
      waitUntil(
        Effect.scoped(Effect.flatMap(start(...args), ({ ended }) => ended)),
        // The session of a killed command ends a moment later.
        ({ stderr }) => !stderr.includes("Another command")
      ),

    /** Starts the command, and kills it when it has printed a line. */
    killAt: (line: string, ...args: ReadonlyArray<string>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const command = yield* start(...args)
          yield* waitUntil(
            Effect.sync(() => command.output.stderr),
            (stderr) => stderr.includes(line)
          )
          command.kill("SIGKILL")
          yield* command.ended
        })
      )
  }
}
