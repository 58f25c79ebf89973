import { Effect, Layer, Option, Predicate, Schema, SchemaTransformation } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { AppId, InstallationId } from "../domain/access/Ids.ts"
import { Capability } from "../domain/access/Capability.ts"
import { Scope } from "../domain/access/Scope.ts"
import { CellName } from "../domain/cells/Cells.ts"
import { Actor, IMPORTER } from "../domain/Actor.ts"
import { issuesOf } from "../domain/json/Decoder.ts"
import { StoreId } from "../domain/Store.ts"
import type { WriteContext } from "../domain/Write.ts"

/** Decodes an id that an option has checked. */
const decodeId = <A>(schema: Schema.Codec<A, string>, id: string | undefined): A | undefined =>
  id === undefined ? undefined : Option.getOrUndefined(Schema.decodeOption(schema)(id))

/** Returns the id that an option has, if it is given. */
const idIn = (input: unknown, name: "store" | "installation" | "cell"): string | undefined => {
  const given = Predicate.hasProperty(input, name) ? input[name] : undefined
  const value = Option.isOption(given) ? Option.getOrUndefined(given) : given
  return Predicate.isString(value) ? value : undefined
}

/**
 * Services of a command, in the cell of the store, installation or cell that its options name. Imported when it runs: help
 * and usage errors do not load them.
 */
const servicesOf = (input: unknown) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./Services.ts")),
      ({ servicesOf }) =>
        servicesOf({
          cell: decodeId(CellName, idIn(input, "cell")),
          store: decodeId(StoreId, idIn(input, "store")),
          installation: decodeId(InstallationId, idIn(input, "installation"))
        })
    )
  )

/** Makes a command whose handler can use the services. */
export const command = <
  const Name extends string,
  const Config extends Command.Command.Config,
  Eff extends Effect.Effect<unknown, unknown, unknown>
>(
  name: Name,
  config: Config,
  handler: (input: Command.Command.Config.Infer<Config>) => Generator<Eff, void, never>
) =>
  Command.make(
    name,
    config,
    Effect.fnUntraced(handler, (run, input) => Effect.provide(run, servicesOf(input)))
  )

/** Makes a command that only has subcommands. */
export const group = (name: string, summary: string) => Command.make(name).pipe(Command.withDescription(summary))

interface HelpText {
  /** One line that starts with a verb, for lists of commands. */
  readonly summary: string
  /** Sentences that the command's own help adds to the summary. */
  readonly details?: string
  /** Arguments of example invocations. */
  readonly examples: readonly [string, ...ReadonlyArray<string>]
}

/** Adds help to a command. */
export const withHelp =
  ({ details, examples, summary }: HelpText) =>
  <const Name extends string, Input, ContextInput, E, R>(self: Command.Command<Name, Input, ContextInput, E, R>) =>
    self.pipe(
      Command.withShortDescription(summary),
      Command.withDescription(details === undefined ? summary : `${summary}. ${details}`),
      Command.withExamples(({ commandPath }) =>
        examples.map((args) => ({ command: [...commandPath, args].join(" ").trim() }))
      )
    )

/** Makes an option without a value. The library's negated name (`--no-…`) is removed. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** Makes an option that accepts one of a few words. */
export const choice = <const Words extends ReadonlyArray<string>>(name: string, words: Words, description: string) =>
  Flag.Literals(name, words).pipe(Flag.withMetavar(name), Flag.withDescription(description))

export const json = toggle("json", "Print the result as JSON")

/** Fails with a usage error. */
export const usageError = (message: string) => Effect.fail(new CliError.ValidationError({ message }))

/** Decodes a value. Error messages start with the name of the option or argument. */
const decodeAs = <A>(name: string, schema: Schema.Codec<A, string>) => {
  const decode = Schema.decodeEffect(schema)
  return (text: string) => Effect.catch(decode(text), (error) => usageError(`${name}: ${issuesOf(error).join("; ")}`))
}

/** Makes an option whose value is decoded by a schema. Help shows `metavar` in place of the value. */
export const option = <A>(name: string, schema: Schema.Codec<A, string>, description: string, metavar = name) =>
  Flag.String(name).pipe(
    Flag.mapEffect(decodeAs(`--${name}`, schema)),
    Flag.withMetavar(metavar),
    Flag.withDescription(description)
  )

/** Makes an option repeatable. The default makes help show that it is not required. */
export const anyNumberOf = <A>(flag: Flag.Flag<A>) => Flag.withDefault(Flag.atLeast(flag, 0), [])

/** Makes a positional argument that is decoded by a schema. */
export const argument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.mapEffect(decodeAs(name, schema)))

/** Decodes a whole number within bounds. */
export const integer = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return Schema.String.check(Schema.isPattern(/^[+-]?\d+$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Number.check(Schema.isBetween({ minimum, maximum }, { message })),
      SchemaTransformation.numberFromString
    )
  )
}

const DEFAULT_LIMIT = 50

/** Maximum length of a printed list. */
export const limit = option(
  "limit",
  integer(1, 1000),
  `Maximum number of rows, up to 1000. Default: ${DEFAULT_LIMIT}`,
  "number"
).pipe(Flag.withDefault(DEFAULT_LIMIT))

export const app = option("app", AppId, "App id, from: apps list", "id")

export const store = option("store", StoreId, "Store id, from: stores list", "id")

export const storeArgument = argument("store", StoreId, "Store id, from: stores list")

export const installationArgument = argument(
  "installation",
  InstallationId,
  "Installation id, from: installations list"
)

export const Name = Schema.Trim.pipe(Schema.check(Schema.isNonEmpty({ message: "must not be empty" })))

export const scopes = Flag.atLeast(choice("scope", Scope.literals, "Scope; repeatable"), 1)

export const capabilities = anyNumberOf(choice("capability", Capability.literals, "Capability; repeatable"))

/** Context of a write by an operator. */
export const operatorContext = (storeId: StoreId): WriteContext => ({
  storeId,
  actor: Actor.Merchant({ id: IMPORTER }),
  surface: "cli",
  cause: null,
  mode: "perform"
})
