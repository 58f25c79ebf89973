import { Schema } from "effect"

export const Work = Schema.Literals([
  "list",
  "listFew",
  "orders",
  "collection",
  "create",
  "update",
  "collections",
  "mixed",
  "firstPage",
  "lastPage",
  "inventory",
  "entry",
  "putEntry",
  "rpcCreate",
  "mcpGet",
  "mcpList",
  "mcpCreate",
  "exchange",
  "refresh"
])

/** What the load generator is told to do: until so many requests were sent and so much time went by. */
export const Job = Schema.Struct({
  port: Schema.Int,
  work: Work,
  connections: Schema.Int,
  requests: Schema.Int,
  millis: Schema.Number
})
export type Job = typeof Job.Type

/** What it saw. Latencies in milliseconds. */
export const Measured = Schema.Struct({
  requests: Schema.Int,
  seconds: Schema.Number,
  median: Schema.Number,
  p99: Schema.Number
})
export type Measured = typeof Measured.Type

export const Report = Schema.Union([Measured, Schema.Struct({ failure: Schema.String })])
