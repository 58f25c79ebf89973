import { Config, ConfigProvider, Effect, Option, Schema, SchemaIssue } from "effect"

/** Settings from the environment. Empty values count as set: an empty `DATABASE_URL` must not start a database. */
export const environment = ConfigProvider.layer(ConfigProvider.fromEnv({ preserveEmptyStrings: true }))

/** Makes the error of an invalid setting. `message` names the expected value. */
export const invalidSetting = (name: string, message: string): Config.ConfigError =>
  new Config.ConfigError(
    new Schema.SchemaError(new SchemaIssue.Pointer([name], new SchemaIssue.InvalidValue({ message })))
  )

/** Makes a setting that `parse` reads. `expected` describes the valid values. */
const setting = <A>(name: string, expected: string, parse: (text: string) => Option.Option<A>): Config.Config<A> =>
  Config.mapEffect(Config.String(name), (text) =>
    Option.match(parse(text), {
      onNone: () => Effect.fail(invalidSetting(name, `Expected ${expected} but received ${JSON.stringify(text)}`)),
      onSome: Effect.succeed
    })
  )

export const integer = (name: string): Config.Config<number> =>
  setting(name, "an integer value", (text) => Option.liftPredicate(Number(text), Number.isInteger))

/** Makes an optional setting. An empty value counts as not set. */
export const optionalString = (name: string): Config.Config<Option.Option<string>> =>
  Config.String(name).pipe(Config.option, Config.map(Option.filter((text) => text !== "")))

/** Makes a setting from `min` to `max`. An empty value means the default: as a number it would be 0. */
export const numberOrDefault = (
  name: string,
  initial: number,
  min: number,
  max: number,
  hint = ""
): Config.Config<number> => {
  const count = Config.mapEffect(integer(name), (value) =>
    value >= min && value <= max
      ? Effect.succeed(value)
      : Effect.fail(invalidSetting(name, `Expected ${min} to ${max} but received ${value}${hint}`))
  )
  return Config.flatMap(
    optionalString(name),
    Option.match({ onNone: () => Config.succeed(initial), onSome: () => count })
  )
}

/** Makes a setting from 0 to `max`. */
export const countOrDefault = (name: string, initial: number, max: number, zero: string): Config.Config<number> =>
  numberOrDefault(name, initial, 0, max, `; 0 ${zero}`)

/** Makes a setting of a port. Port 0 selects a free one. */
export const port = (name: string): Config.Config<number> =>
  setting(name, "a port from 0 to 65535", (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none()
  )

/** The address on which the server listens, unless another one is set. */
export const host = Config.map(
  optionalString("HOST"),
  Option.getOrElse(() => "127.0.0.1")
)

const YES = /^(?:true|yes|on|1)$/
const NO = /^(?:false|no|off|0)$/

export const boolean = (name: string): Config.Config<boolean> =>
  setting(name, "a boolean value", (text) =>
    YES.test(text) || NO.test(text) ? Option.some(YES.test(text)) : Option.none()
  )

export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>): Config.Config<Word> =>
  setting(name, `one of (${words.join(", ")})`, (text) => Option.fromUndefinedOr(words.find((word) => word === text)))

/** Public address of the service without a slash at the end; empty if `PUBLIC_URL` is not set. For links in texts. */
export const publicAddress = Config.String("PUBLIC_URL").pipe(
  Config.withDefault(""),
  Config.map((url) => url.replace(/\/$/, ""))
)

/** Address of the listener for operators (docs/operations/monitor.md); none without `MANAGEMENT_PORT`. */
export const managementAddress = Config.all({
  host: Config.map(Config.all([optionalString("MANAGEMENT_HOST"), host]), ([own, others]) =>
    Option.getOrElse(own, () => others)
  ),
  port: Config.flatMap(
    optionalString("MANAGEMENT_PORT"),
    Option.match({
      onNone: () => Config.succeed(Option.none<number>()),
      onSome: () => Config.map(port("MANAGEMENT_PORT"), Option.some)
    })
  )
}).pipe(Config.map(({ host, port }) => Option.map(port, (port) => ({ host, port }))))
