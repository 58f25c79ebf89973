import { Context, Effect, Layer, LogLevel, References } from "effect"
import type { Exchange } from "./Exchange.ts"

/** What is told of a request once its answer is written, or given up. */
export interface Access {
  readonly method: string
  readonly route: string
  /** `aborted` when the connection was gone before the whole answer was written. */
  readonly status: number | "aborted"
  readonly milliseconds: number
  /** The client's, behind trusted proxies too. */
  readonly address: string
  /** Who asked, once that is known. */
  readonly installation: string | undefined
  readonly requestId: string
}

/** Takes what is told of each request. Where nobody provides one, it is forgotten. */
export const AccessLog = Context.Reference<(access: Access) => void>("http/AccessLog", {
  defaultValue: (): ((access: Access) => void) => () => {}
})

/** What is told of a request that became one. */
export const accessOf = (exchange: Exchange): Access => ({
  method: exchange.req.method ?? "-",
  route: exchange.route,
  status: exchange.writableFinished ? exchange.statusCode : "aborted",
  milliseconds: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
  address: exchange.address,
  installation: exchange.installationId,
  requestId: exchange.requestId
})

const textLine = (
  { address, installation = "-", method, milliseconds, requestId, route, status }: Access,
  time: string
) =>
  `${time} ${method} ${route} ${status} ${milliseconds} ms address=${address} installation=${installation} request=${requestId}\n`

/** Of the form that the log's other lines have as JSON. */
const jsonLine = (access: Access, time: string) =>
  `{"message":"request","logLevel":"INFO","timestamp":"${time}","annotations":${JSON.stringify(access)}}\n`

const ignore = () => {}

/** Milliseconds in which lines are gathered for one write. */
const GATHERING = 50

/** Characters that may wait for who reads standard output, before lines are left out. */
const MAX_WAITING = 1024 * 1024

/**
 * Writes the access log to `output`, at the level of information. Lines are gathered: a write for each would take as long
 * as the line twice over. Who reads them may be slow, or gone: neither holds up the service.
 */
export const accessLogTo = (output: NodeJS.WriteStream, format: "text" | "json") =>
  Layer.effect(
    AccessLog,
    Effect.gen(function* () {
      const minimum = yield* References.MinimumLogLevel
      if (LogLevel.isGreaterThan(minimum, "Info")) return ignore
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const toLine = format === "json" ? jsonLine : textLine
      let lines: Array<string> = []
      let omitted = 0
      let timer: NodeJS.Timeout | undefined
      const flush = () => {
        if (output.writableLength > MAX_WAITING) omitted += lines.length
        else {
          output.write(lines.join(""))
          if (omitted > 0) runFork(Effect.logWarning(`The log leaves out ${omitted} requests: nobody read it`))
          omitted = 0
        }
        lines = []
      }
      // For good: what the last write breaks on is told after it.
      output.on("error", ignore)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearTimeout(timer)
          flush()
        })
      )
      return (access: Access) => {
        if (lines.length === 0) timer = setTimeout(flush, GATHERING)
        lines.push(toLine(access, new Date().toISOString()))
      }
    })
  )
