import { Context, Duration, Effect, Option, Schema, Stream } from "effect"
import { ChangeSet } from "../../domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import { scopeEnd } from "../../domain/journal/ChangeFeed.ts"
import { whileGranted } from "../../domain/access/OngoingAccess.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { makeEndedAccess } from "../server/EndedAccess.ts"
import { rightOf } from "../handlers/ChangeSets.ts"
import type { Agent } from "../Principal.ts"

/** Progress of a job. */
export interface Progress {
  readonly progress: number
  /** Absent while the job counts its operations. */
  readonly total?: number
  readonly message: string
}

/** Sends the progress of a call to its client. */
export type ReportProgress = (progress: Progress) => Effect.Effect<void>

/** Returns a change set as soon as no job runs for it, and reports the progress until then. */
export type AwaitJob = (
  set: JsonText,
  agent: Agent,
  elapsed: Duration.Duration,
  report: ReportProgress
) => Effect.Effect<JsonText>

/** Time from the start of a call to its answer, as of other tools. Many clients give up after 60 s, whatever progress they receive. */
export const ProgressTimeout = Context.Reference("rpc/mcp/ProgressTimeout", {
  defaultValue: () => Duration.seconds(45)
})

/** Maximum length of a progress token, because each event repeats it. */
const MAX_TOKEN_LENGTH = 255

const ProgressToken = Schema.Union([Schema.String.check(Schema.isMaxLength(MAX_TOKEN_LENGTH)), Schema.Int])

const ProgressCall = Schema.Struct({
  method: Schema.Literal("tools/call"),
  params: Schema.Struct({
    name: Schema.String,
    _meta: Schema.Struct({ progressToken: ProgressToken })
  })
})
const decodeProgressCall = Schema.decodeUnknownOption(ProgressCall)

/** Finds the name and the progress token of a call whose client asks for progress and accepts an event stream. */
export const findProgressCall = (message: JsonObject, accept = "") =>
  /\btext\/event-stream\b/i.test(accept)
    ? Option.getOrUndefined(Option.map(decodeProgressCall(message), ({ params }) => params))
    : undefined

const FollowedSet = Schema.Struct({
  id: ChangeSet.fields.id,
  state: ChangeSet.fields.state,
  progress: ChangeSet.fields.progress
})
// A proposal is no set.
const decodeSet = Schema.decodeUnknownOption(Schema.fromJsonString(FollowedSet))

type FollowedSet = typeof FollowedSet.Type

/** A scheduled set waits for its time, so no job runs for it. */
const isRunning = ({ state }: FollowedSet) => state === "previewing" || state === "applying"

const progressOf = ({ progress: { done, total }, state }: FollowedSet): Progress => ({
  progress: done,
  ...(total === 0 ? {} : { total }),
  message: `${state.charAt(0).toUpperCase()}${state.slice(1)}`
})

/** Waits for jobs of change sets. Holds no permit, and ends when the server stops or the agent has no access anymore. */
export const makeAwaitJob = Effect.gen(function* () {
  const { follow } = yield* ChangeSets
  const timeout = yield* ProgressTimeout
  const { recheck } = yield* makeEndedAccess
  const stopping = yield* scopeEnd

  const awaitJob: AwaitJob = (written, agent, elapsed, report) =>
    Option.match(decodeSet(written), {
      onNone: () => Effect.succeed(written),
      onSome: ({ id }) =>
        follow(agent.storeId, id, rightOf(agent)).pipe(
          Stream.map((json) => ({ json, set: Option.getOrThrow(decodeSet(json)) })),
          Stream.takeUntil(({ set }) => !isRunning(set)),
          Stream.interruptWhen(Effect.raceFirst(stopping, Effect.sleep(Duration.subtract(timeout, elapsed)))),
          Stream.runFoldEffect(
            () => ({ json: written, reported: -1 }),
            ({ reported }, { json, set }) => {
              const progress = progressOf(set)
              // The protocol requires that it increases, so the last number waits for the end of the job. An application
              // begins at 0 after the preview.
              const isLast = isRunning(set) && progress.progress === progress.total
              return progress.progress > reported && !isLast
                ? Effect.as(report(progress), { json, reported: progress.progress })
                : Effect.succeed({ json, reported })
            }
          ),
          whileGranted(recheck(agent, agent.storeId)),
          // The agent has lost its access, the store has too many followers, or the set is deleted. The write is done nevertheless.
          Effect.match({ onFailure: () => written, onSuccess: ({ json }) => json })
        )
    })
  return awaitJob
})
