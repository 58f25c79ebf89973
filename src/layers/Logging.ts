import { Config, Effect, Formatter, Layer, Logger, References } from "effect"
import { oneOf } from "./Settings.ts"

/** How the log is written: for people, or as one JSON object a line. */
export const LogFormat = oneOf("LOG_FORMAT", ["text", "json"]).pipe(Config.withDefault("text"))

const LEVELS = {
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None"
} as const

const MinimumLevel = oneOf("LOG_LEVEL", ["debug", "info", "warning", "error", "none"]).pipe(
  Config.withDefault("info"),
  Config.map((name) => LEVELS[name])
)

/** One JSON object a line. Readers of the log know the level as `logLevel`. */
const json = Logger.map(Logger.formatStructured, ({ level, message, ...others }) =>
  Formatter.formatJson({ message, logLevel: level, ...others })
)

const stdout = { text: Logger.consolePretty(), json: Logger.withConsoleLog(json) }

const stderr = {
  text: Logger.consolePretty({ colors: process.stderr.isTTY }),
  json: Logger.withConsoleError(json)
}

const logging = (loggers: typeof stdout, isAside: boolean) =>
  Layer.unwrap(
    Effect.map(Config.all([LogFormat, MinimumLevel]), ([format, level]) =>
      Layer.mergeAll(
        Layer.succeed(References.MinimumLogLevel, level),
        // The pretty logger reads where it writes to.
        Layer.succeed(References.LogToStderr, isAside),
        // The tracer's logger adds the lines to the span that they come from.
        Logger.layer([loggers[format], Logger.tracerLogger])
      )
    )
  )

/** What is logged, and how, as `LOG_LEVEL` and `LOG_FORMAT` say. */
export const LoggingLive = logging(stdout, false)

/** The same on standard error, where standard output is for what was asked for. */
export const StderrLoggingLive = logging(stderr, true)
