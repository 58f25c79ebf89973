import { Effect, Schema, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Child process that replies to each message. */
export interface ChildHandle {
  readonly pid: number
  readonly ask: <A, I>(message: object | string, answer: Schema.Codec<A, I>) => Effect.Effect<A>
}

/** Reply of a failed message. */
const Failure = Schema.Struct({ failure: Schema.String })

const replyOf = (child: ChildProcess, message: object | string) =>
  Effect.callback<unknown>((resume) => {
    const onMessage = (reply: unknown) => {
      child.off("message", onMessage).off("exit", end)
      resume(Effect.succeed(reply))
    }
    const end = () => onMessage({ failure: "its process ended" })
    child.on("message", onMessage).on("exit", end)
    child.send(message)
  })

/** Starts this benchmark in another role as a child process until the scope ends. */
export const startHelper = (role: "write" | "receive" | "graphile"): Effect.Effect<ChildHandle, never, Scope.Scope> =>
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

/** Replies to the messages of the parent process until it disconnects. */
export const serveMessages = (answer: (message: unknown) => Promise<object>): void => {
  process.on("message", (message) => {
    answer(message).then(
      (reply) => process.send?.(reply),
      (problem: unknown) => process.send?.({ failure: String(problem) })
    )
  })
  process.on("disconnect", () => process.exit())
}
