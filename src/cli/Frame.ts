import { Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Console, Effect, Layer, ParseResult, Schema, type Types, type Utils } from "effect"
import { Scope } from "../domain/access/Scope.ts"
import { AccessLive } from "../layers/access/Access.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { WebhooksLive } from "../layers/webhooks/Webhooks.ts"

/** What commands work with, on `DATABASE_URL` or on the embedded database. */
const Live = Layer.merge(AccessLive, WebhooksLive).pipe(Layer.provideMerge(DatabaseLive))

/** A command that works with the services, by its name and what it is given. */
export const command = <
  Name extends string,
  const Config extends Command.Command.Config,
  Eff extends Utils.YieldWrap<Effect.Effect<unknown, unknown, unknown>>
>(
  name: Name,
  config: Config,
  work: (given: Types.Simplify<Command.Command.ParseConfig<Config>>) => Generator<Eff, void, never>
) => Command.make(name, config, Effect.fnUntraced(work, Effect.provide(Live)))

export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON, for programs"))

/** What receivers answered is shown too: nothing of it may move the cursor of the terminal or look like another line. */
const lineOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return (Array.isArray(value) ? value.join(" ") : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, "\uFFFD")
}

type Facts = Readonly<Record<string, unknown>>

const text = (facts: Facts) =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${lineOf(value)}`)
    .join("\n")

/** Prints a result for a program or for a person: the same facts, a line each. */
export const print = (asJson: boolean, facts: Facts) => Console.log(asJson ? JSON.stringify(facts) : text(facts))

/** Prints a list under its name; for a person with an empty line between its items. */
export const printAll = (asJson: boolean, name: string, items: ReadonlyArray<Facts>) =>
  Console.log(asJson ? JSON.stringify({ [name]: items }) : items.map(text).join("\n\n") || `no ${name}`)

/** Reads a value by its schema, and refuses it in the schema's words, with the name of what was given. */
export const readAs = <A>(name: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decode(schema)
  return (text: string) =>
    Effect.mapError(decode(text), (error) => {
      const reasons = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message }) => message)
      return HelpDoc.p(`${name}: ${reasons.join("; ")}`)
    })
}

/** What was given does not go together. */
export const misused = (why: string) => Effect.fail(ValidationError.invalidValue(HelpDoc.p(why)))

export const option = <A>(name: string, schema: Schema.Schema<A, string>, description: string) => {
  const read = readAs(`--${name}`, schema)
  return Options.text(name).pipe(
    Options.mapEffect((text) => Effect.mapError(read(text), ValidationError.invalidValue)),
    Options.withDescription(description)
  )
}

/** A whole number within bounds, as it is typed. */
export const integer = (least: number, most: number) =>
  Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most))

/** How long a list may be. */
export const limit = option("limit", integer(1, 1000), "At most so many, 50 when not given").pipe(
  Options.withDefault(50)
)

export const Name = Schema.Trim.pipe(Schema.nonEmptyString({ message: () => "must not be empty" }))

export const scopes = Options.choice("scope", Scope.literals).pipe(
  Options.withDescription("A scope; give it once for each"),
  Options.atLeast(1)
)

export const group = (name: string, description: string) =>
  Command.make(name).pipe(Command.withDescription(description))
