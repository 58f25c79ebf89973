import { Config, Effect, Layer, Logger, LogLevel } from "effect"

/** How the log is written: for people, or as one JSON object a line. */
export const LogFormat = Config.literal("text", "json")("LOG_FORMAT").pipe(Config.withDefault("text"))

const LEVELS = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

const MinimumLevel = Config.literal(
  "debug",
  "info",
  "warning",
  "error",
  "none"
)("LOG_LEVEL").pipe(
  Config.withDefault("info"),
  Config.map((name) => LEVELS[name])
)

const stdout = { text: Logger.pretty, json: Logger.json }

const stderr = {
  text: Logger.replace(
    Logger.defaultLogger,
    Logger.prettyLogger({ stderr: true, colors: Boolean(process.stderr.isTTY) })
  ),
  json: Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.jsonLogger))
}

const logging = (loggers: typeof stdout) =>
  Layer.unwrapEffect(
    Effect.map(Config.all([LogFormat, MinimumLevel]), ([format, level]) =>
      Layer.merge(Logger.minimumLogLevel(level), loggers[format])
    )
  )

/** What is logged, and how, as `LOG_LEVEL` and `LOG_FORMAT` say. */
export const LoggingLive = logging(stdout)

/** The same on standard error, where standard output is for what was asked for. */
export const LoggingAsideLive = logging(stderr)
