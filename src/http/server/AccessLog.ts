import { Context, Effect, Layer, LogLevel, References } from "effect"
import type { NodeResponse } from "./NodeResponse.ts"

/** The entry of a request in the access log. */
export interface AccessEntry {
  readonly method: string
  readonly route: string
  /** `aborted` when the connection was gone before the whole answer was written. */
  readonly status: number | "aborted"
  readonly milliseconds: number
  /** The client's address, also behind trusted proxies. */
  readonly address: string
  /** The installation whose token the request carries, if the token is valid. */
  readonly installation: string | undefined
  readonly requestId: string
}

/** Receives the entry of each request. Without an implementation, entries are dropped. */
export const AccessLog = Context.Reference<(access: AccessEntry) => void>("http/AccessLog", {
  defaultValue: (): ((access: AccessEntry) => void) => () => {}
})

/** The entry of an exchange at this moment. */
export const makeAccessEntry = (exchange: NodeResponse): AccessEntry => ({
  method: exchange.req.method ?? "-",
  route: exchange.route,
  status: exchange.writableFinished ? exchange.statusCode : "aborted",
  milliseconds: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
  address: exchange.address,
  installation: exchange.installationId,
  requestId: exchange.requestId
})

const formatText = (
  { address, installation = "-", method, milliseconds, requestId, route, status }: AccessEntry,
  time: string
) =>
  `${time} ${method} ${route} ${status} ${milliseconds} ms address=${address} installation=${installation} request=${requestId}\n`

/** A line in the form of the other JSON lines of the log. */
const formatJson = (access: AccessEntry, time: string) =>
  `{"message":"request","logLevel":"INFO","timestamp":"${time}","annotations":${JSON.stringify(access)}}\n`

const ignore = () => {}

/** Milliseconds for which lines are collected for one write. */
const FLUSH_MILLIS = 50

/** Characters that may wait for the reader of standard output before lines are dropped. */
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
      let omitted = 0
      let timer: NodeJS.Timeout | undefined
      const flush = () => {
        if (output.writableLength > MAX_BUFFERED) omitted += lines.length
        else {
          output.write(lines.join(""))
          if (omitted > 0) runFork(Effect.logWarning(`The log leaves out ${omitted} requests: nobody read it`))
          omitted = 0
        }
        lines = []
      }
      // Stays registered: an error of the last write arrives after it.
      output.on("error", ignore)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearTimeout(timer)
          flush()
        })
      )
      return (access: AccessEntry) => {
        if (lines.length === 0) timer = setTimeout(flush, FLUSH_MILLIS)
        lines.push(toLine(access, new Date().toISOString()))
      }
    })
  )
