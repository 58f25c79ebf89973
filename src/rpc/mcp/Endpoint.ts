import { Effect, type Redacted } from "effect"
import { makeIdentify, principalAt } from "../server/Authenticator.ts"
import type { AnswerCall } from "../server/InProcessCalls.ts"
import type { Sent } from "./Protocol.ts"

/** Knows who sends messages of the Model Context Protocol, and answers them. */
export const makeMessages = Effect.fnUntraced(function* (answerCall: AnswerCall) {
  const identify = yield* makeIdentify
  // Loaded with the first message: the protocol's library, and tools made of all procedures, would take every start 0.2 s.
  const answer = yield* Effect.cached(
    Effect.map(
      Effect.promise(() => import("./Protocol.ts")),
      ({ makeAnswer }) => makeAnswer(answerCall)
    )
  )
  return {
    identify: (token: Redacted.Redacted) =>
      Effect.flatMap(identify.agent(token, 1, "any"), (caller) => principalAt(caller, 0)),
    answer: (sent: Sent) => Effect.flatMap(answer, (answer) => answer(sent))
  }
})
