import { Effect } from "effect"
import type { Options } from "../options.ts"
import { dead } from "./dead.ts"
import { drain } from "./drain.ts"
import { latency } from "./latency.ts"

const RUN = { latency, drain: drain(1), spread: drain(10), dead }

/** How soon, how fast and how fairly events reach those who want them. */
export const webhooks = (server: string, options: Options) =>
  Effect.map(
    Effect.forEach(options.parts, (part) => RUN[part](server, options)),
    (reached) => reached.every(Boolean)
  )
