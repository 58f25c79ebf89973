import { Schema } from "effect"

export const RequestKind = Schema.Literals([
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

/** Job of the load generator. It ends once `requests` were sent and `millis` have passed. */
export const Job = Schema.Struct({
  port: Schema.Int,
  work: RequestKind,
  connections: Schema.Int,
  requests: Schema.Int,
  millis: Schema.Number
})
export type Job = typeof Job.Type

/** Result of a job. Latencies in milliseconds. */
export const LoadResult = Schema.Struct({
  requests: Schema.Int,
  seconds: Schema.Number,
  median: Schema.Number,
  p99: Schema.Number
})
export type LoadResult = typeof LoadResult.Type

export const JobReply = Schema.Union([LoadResult, Schema.Struct({ failure: Schema.String })])
