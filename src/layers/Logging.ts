import { Config, Console, Effect, Formatter, Layer, Logger, References } from "effect"
import { oneOf } from "./Settings.ts"

/** Format of the log: text for people, or one JSON object per line. */
export const LogFormat = oneOf("LOG_FORMAT", ["text", "json"]).pipe(Config.withDefault("text"))

/** Prints a line for the person who starts a process. With `LOG_FORMAT=json` it is a line of the log. */
export const printNotice = (text: string) =>
  Effect.flatMap(LogFormat, (format) => (format === "json" ? Effect.logInfo(text) : Console.log(text)))

const LEVELS = {
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None"
} as const

/** Lowest level of the log. */
export const MinimumLevel = oneOf("LOG_LEVEL", ["debug", "info", "warning", "error", "none"]).pipe(
  Config.withDefault("info"),
  Config.map((name) => LEVELS[name])
)

/** One JSON object per line, with the level as `logLevel`. */
const json = Logger.map(Logger.formatStructured, ({ level, message, ...others }) =>
  Formatter.formatJson({ message, logLevel: level, ...others })
)

const stdout = { text: Logger.consolePretty(), json: Logger.withConsoleLog(json) }

const stderr = {
  text: Logger.consolePretty({ colors: process.stderr.isTTY }),
  json: Logger.withConsoleError(json)
}

const loggingTo = (loggers: typeof stdout, isStderr: boolean) =>
  Layer.unwrap(
    Effect.map(Config.all([LogFormat, MinimumLevel]), ([format, level]) =>
      Layer.mergeAll(
        Layer.succeed(References.MinimumLogLevel, level),
        // The pretty logger reads this reference.
        Layer.succeed(References.LogToStderr, isStderr),
        // The tracer's logger adds each line to its span.
        Logger.layer([loggers[format], Logger.tracerLogger])
      )
    )
  )

/** Logs to standard output by `LOG_LEVEL` and `LOG_FORMAT`. */
export const LoggingLive = loggingTo(stdout, false)

/** Logs to standard error, for commands that print their result to standard output. */
export const StderrLoggingLive = loggingTo(stderr, true)
