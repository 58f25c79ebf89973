/*
 * Works around Node's cost of a write for each line, which is twice that of the line, and around slow readers.
 */

import { Context, Effect, Layer, LogLevel, References } from "effect"
import type { NodeResponse } from "./NodeResponse.ts"

/** The entry of a request in the access log. */
export interface AccessEntry {
  readonly method: string
  readonly route: string
  /** `aborted` if the connection closed before the whole response was written. */
  readonly status: number | "aborted"
  readonly milliseconds: number
  /** The client's address, also behind trusted proxies. */
  readonly address: string
  /** The installation whose token the request carries, if the token is valid. */
  readonly installation: string | undefined
  readonly requestId: string
  /** Id of the trace, if the request is traced. */
  readonly trace_id?: string
}

/** Receives the entry of each request. Entries are dropped by default. */
export const AccessLog = Context.Reference<(entry: AccessEntry) => void>("http/AccessLog", {
  defaultValue: (): ((entry: AccessEntry) => void) => () => {}
})

/** Makes the entry of a response at this moment. */
export const makeAccessEntry = (response: NodeResponse): AccessEntry => ({
  method: response.req.method ?? "-",
  route: response.route,
  status: response.writableFinished ? response.statusCode : "aborted",
  milliseconds: Math.round((performance.now() - response.startedAt) * 10) / 10,
  address: response.address,
  installation: response.installationId,
  requestId: response.requestId,
  ...(response.traceId === undefined ? {} : { trace_id: response.traceId })
})

const formatText = (
  { address, installation = "-", method, milliseconds, requestId, route, status, trace_id }: AccessEntry,
  time: string
) =>
  `${time} ${method} ${route} ${status} ${milliseconds} ms address=${address} installation=${installation} request=${requestId}${trace_id === undefined ? "" : ` trace=${trace_id}`}\n`

/** Formats an entry like the other JSON lines of the log. */
const formatJson = (entry: AccessEntry, time: string) =>
  `{"message":"request","logLevel":"INFO","timestamp":"${time}","annotations":${JSON.stringify(entry)}}\n`

const ignore = () => {}

/** Milliseconds for which lines are collected for one write. */
const FLUSH_MILLIS = 50

/** Characters that the output may buffer before lines are dropped. */
const MAX_BUFFERED = 1024 * 1024

/**
 * Writes the access log to `output`, at log level `info`. Lines are collected, because a write for each line costs twice
 * as much as the line. A slow or closed reader does not delay requests.
 */
export const accessLogLayer = (output: NodeJS.WriteStream, format: "text" | "json") =>
  Layer.effect(
    AccessLog,
    Effect.gen(function* () {
      const minimum = yield* References.MinimumLogLevel
      if (LogLevel.isGreaterThan(minimum, "Info")) return ignore
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const toLine = format === "json" ? formatJson : formatText
      let lines: Array<string> = []
      let dropped = 0
      let timer: NodeJS.Timeout | undefined
      const flush = () => {
        if (output.writableLength > MAX_BUFFERED) dropped += lines.length
        else {
          output.write(lines.join(""))
          if (dropped > 0) runFork(Effect.logWarning(`Dropped ${dropped} access log lines: the reader is too slow`))
          dropped = 0
        }
        lines = []
      }
      // Stays registered, because the error of the last write is emitted after it.
      output.on("error", ignore)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearTimeout(timer)
          flush()
        })
      )
      return (entry: AccessEntry) => {
        if (lines.length === 0) timer = setTimeout(flush, FLUSH_MILLIS)
        lines.push(toLine(entry, new Date().toISOString()))
      }
    })
  )
