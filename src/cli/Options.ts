import { Effect, Layer, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { AppId } from "../domain/access/Apps.ts"
import { Capability } from "../domain/access/Capability.ts"
import { Scope } from "../domain/access/Scope.ts"
import { Actor, IMPORTER } from "../domain/Actor.ts"
import type { StoreId } from "../domain/Store.ts"
import type { WriteContext } from "../domain/Write.ts"

/** Loaded when a command works: help, and the answer to what was typed wrong, come without them. */
const Live = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./Services.ts")),
    ({ ServicesLive }) => ServicesLive
  )
)

/** A command that does its `work` with the services. */
export const command = <
  const Name extends string,
  const Config extends Command.Command.Config,
  Eff extends Effect.Effect<unknown, unknown, unknown>
>(
  name: Name,
  config: Config,
  work: (given: Command.Command.Config.Infer<Config>) => Generator<Eff, void, never>
) => Command.make(name, config, Effect.fnUntraced(work, Effect.provide(Live)))

/** An option without a value. A second name that negates it, as the library adds by default, would be of no use. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** An option that takes one of a few words. */
export const choice = <const Words extends ReadonlyArray<string>>(name: string, words: Words, description: string) =>
  Flag.Literals(name, words).pipe(Flag.withDescription(description))

export const json = toggle("json", "Print JSON, for programs")

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Decodes a value. An error line has the name of the option or argument and the messages of the schema. */
const readAs = <A>(name: string, schema: Schema.Codec<A, string>) => {
  const decode = Schema.decodeEffect(schema)
  return (text: string) =>
    Effect.catch(decode(text), ({ issue }) =>
      misused(
        `${name}: ${formatIssues(issue)
          .issues.map(({ message }) => message)
          .join("; ")}`
      )
    )
}

/** Fails with a line about wrong use of a command. */
export const misused = (message: string) => Effect.fail(new CliError.ValidationError({ message }))

/** An option whose value a schema reads. */
export const option = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Flag.String(name).pipe(
    Flag.mapEffect(readAs(`--${name}`, schema)),
    Flag.withMetavar("text"),
    Flag.withDescription(description)
  )

/** An option that may be given any number of times. The default lets help show that it is not required. */
export const anyNumberOf = <A>(flag: Flag.Flag<A>) => Flag.withDefault(Flag.atLeast(flag, 0), [])

export const argument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.mapEffect(readAs(name, schema)))

/** A whole number within bounds, as it is typed. */
export const integer = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`
  return Schema.String.check(Schema.isPattern(/^[+-]?\d+$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Number.check(Schema.isBetween({ minimum: least, maximum: most }, { message })),
      SchemaTransformation.numberFromString
    )
  )
}

/** How long a list may be. */
export const limit = Flag.withDefault(option("limit", integer(1, 1000), "At most so many, 50 when not given"), 50)

export const app = option("app", AppId, "The app's id")

export const Name = Schema.Trim.pipe(Schema.check(Schema.isNonEmpty({ message: "must not be empty" })))

export const scopes = Flag.atLeast(choice("scope", Scope.literals, "A scope; give it once for each"), 1)

export const capabilities = anyNumberOf(
  choice("capability", Capability.literals, "A capability; give it once for each")
)

/** An operator, who writes in a store. */
export const operatorIn = (storeId: StoreId): WriteContext => ({
  storeId,
  actor: Actor.Merchant({ id: IMPORTER }),
  surface: "cli",
  cause: null,
  mode: "perform"
})

export const group = (name: string, description: string) =>
  Command.make(name).pipe(Command.withDescription(description))
