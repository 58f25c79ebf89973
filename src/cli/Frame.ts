import { Args, Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Console, Effect, Layer, ParseResult, Schema, type Types, type Utils } from "effect"
import { AppId } from "../domain/access/Apps.ts"
import { Capability } from "../domain/access/Capability.ts"
import { Scope } from "../domain/access/Scope.ts"
import { Actor, IMPORTER } from "../domain/Actor.ts"
import type { StoreId } from "../domain/Store.ts"
import type { WriteContext } from "../domain/Write.ts"

/** Loaded when a command works: help, and the answer to what was typed wrong, come without them. */
const Live = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("./Services.ts")),
    ({ ServicesLive }) => ServicesLive
  )
)

/** A command that does its `work` with the services. */
export const command = <
  const Config extends Command.Command.Config,
  Eff extends Utils.YieldWrap<Effect.Effect<unknown, unknown, unknown>>
>(
  name: string,
  config: Config,
  work: (given: Types.Simplify<Command.Command.ParseConfig<Config>>) => Generator<Eff, void, never>
) => Command.make(name, config, Effect.fnUntraced(work, Effect.provide(Live)))

export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON, for programs"))

/** What receivers answered is shown too: nothing of it may move the cursor of the terminal or look like another line. */
const lineOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return (Array.isArray(value) ? value.join(" ") : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, "\uFFFD")
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

type Facts = Readonly<Record<string, unknown>>

const text = (facts: Facts) =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined && !isEmptyList(value))
    .map(([name, value]) => `${name}: ${lineOf(value)}`)
    .join("\n")

/** Prints a result for a program or for a person: the same facts, a line each. */
export const print = (asJson: boolean, facts: Facts) => Console.log(asJson ? JSON.stringify(facts) : text(facts))

/** Prints a list under its name; for a person with an empty line between its items. */
export const printAll = (asJson: boolean, name: string, items: ReadonlyArray<Facts>) =>
  Console.log(asJson ? JSON.stringify({ [name]: items }) : items.map(text).join("\n\n") || `no ${name}`)

/** Reads a value by its schema, and refuses it in the schema's words, with the name of what was given. */
const readAs = <A>(name: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decode(schema)
  return (text: string) =>
    Effect.mapError(decode(text), (error) => {
      const reasons = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message }) => message)
      return HelpDoc.p(`${name}: ${reasons.join("; ")}`)
    })
}

/** Fails with what is wrong about the way a command was used. */
export const misused = (why: string) => Effect.fail(ValidationError.invalidValue(HelpDoc.p(why)))

export const option = <A>(name: string, schema: Schema.Schema<A, string>, description: string) =>
  Options.text(name).pipe(
    Options.mapEffect((text) => Effect.mapError(readAs(`--${name}`, schema)(text), ValidationError.invalidValue)),
    Options.withDescription(description)
  )

export const argument = <A>(name: string, schema: Schema.Schema<A, string>, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description), Args.mapEffect(readAs(name, schema)))

/** A whole number within bounds, as it is typed. */
export const integer = (least: number, most: number) =>
  Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most))

/** How long a list may be. */
export const limit = Options.withDefault(option("limit", integer(1, 1000), "At most so many, 50 when not given"), 50)

export const app = option("app", AppId, "The app's id")

export const Name = Schema.Trim.pipe(Schema.nonEmptyString({ message: () => "must not be empty" }))

export const scopes = Options.choice("scope", Scope.literals).pipe(
  Options.withDescription("A scope; give it once for each"),
  Options.atLeast(1)
)

export const capabilities = Options.choice("capability", Capability.literals).pipe(
  Options.withDescription("A capability; give it once for each"),
  Options.repeated
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
