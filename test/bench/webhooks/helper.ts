import { Effect, Schema, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A process that answers each message with one of its own. */
export interface Helper {
  readonly pid: number
  readonly ask: <A, I>(message: object | string, answer: Schema.Codec<A, I>) => Effect.Effect<A>
}

/** Says why a message could not be answered. */
const Failure = Schema.Struct({ failure: Schema.String })

const replyOf = (child: ChildProcess, message: object | string) =>
  Effect.callback<unknown>((resume) => {
    const hear = (reply: unknown) => {
      child.off("message", hear).off("exit", end)
      resume(Effect.succeed(reply))
    }
    const end = () => hear({ failure: "its process ended" })
    child.on("message", hear).on("exit", end)
    child.send(message)
  })

/** This benchmark in another role, as a child process until the scope ends. */
export const startHelper = (role: "write" | "receive" | "graphile"): Effect.Effect<Helper, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fork(fileURLToPath(new URL("bench.js", import.meta.url)), [role])),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => ({
      pid: child.pid ?? 0,
      ask: (message, answer) =>
        Effect.gen(function* () {
          const reply = yield* replyOf(child, message)
          const read = yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.Union([Failure, answer]))(reply))
          return Schema.is(Failure)(read) ? yield* Effect.die(new Error(`${role}: ${read.failure}`)) : read
        })
    })
  )

/** Answers what the parent process sends, one message after the other, until it hangs up. */
export const serve = (answer: (message: unknown) => Promise<object>): void => {
  process.on("message", (message) => {
    answer(message).then(
      (reply) => process.send?.(reply),
      (problem: unknown) => process.send?.({ failure: String(problem) })
    )
  })
  process.on("disconnect", () => process.exit())
}
