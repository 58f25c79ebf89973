import { Effect } from "effect"
import type { Options } from "../options.ts"
import { deadEndpoint } from "./deadEndpoint.ts"
import { drain } from "./drain.ts"
import { latency } from "./latency.ts"

const RUN = { latency, drain: drain(1), spread: drain(10), dead: deadEndpoint }

/** Measures latency, throughput and isolation of webhook deliveries. */
export const webhooks = (server: string, options: Options) =>
  Effect.forEach(options.parts, (part) => RUN[part](server, options), { discard: true })
