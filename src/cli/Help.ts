import { Console, Effect, Option } from "effect"
import { type CliOutput, type Command, type HelpDoc, TerminalCapabilities } from "effect/cli"

/** Columns of a terminal that is narrow or unknown. */
const COLUMNS = 100

/** Columns of the longest name that still has its description on the same line. */
const MAX_NAME = 32

/** Breaks a line that is too long at its spaces; what follows is indented. */
const wrap = (line: string, indent: number): string => {
  if (line.length <= COLUMNS) return line
  const end = line.lastIndexOf(" ", COLUMNS)
  return end <= indent ? line : `${line.slice(0, end)}\n${wrap(`${" ".repeat(indent)}${line.slice(end + 1)}`, indent)}`
}

type Row = readonly [name: string, description: string]

/** A name and a description a line. */
const table = (rows: ReadonlyArray<Row>): string => {
  const width = Math.min(MAX_NAME, Math.max(...rows.map(([name]) => name.length)))
  return rows.map(([name, description]) => wrap(`  ${name.padEnd(width)}  ${description}`, width + 4)).join("\n")
}

const visible = (command: Command.Command.Any): ReadonlyArray<Command.Command.Any> =>
  command.subcommands.flatMap(({ commands }) => commands).filter(({ unlisted }) => !unlisted)

/** The command at a path of names below another one. */
const commandAt = (command: Command.Command.Any, [name, ...names]: ReadonlyArray<string>): Command.Command.Any => {
  const next = visible(command).find((subcommand) => subcommand.name === name)
  return next === undefined ? command : commandAt(next, names)
}

/** The names of the commands of a group, which has this path from the program on. */
export const namesAt = (program: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  visible(commandAt(program, path.slice(1))).map(({ name }) => name)

/** Every command below another one. The library lists only those one step below. */
const commandsBelow = (command: Command.Command.Any, path = ""): ReadonlyArray<Row> =>
  visible(command).flatMap((subcommand) => {
    const name = `${path}${subcommand.name}`
    return [[name, subcommand.description ?? ""] as const, ...commandsBelow(subcommand, `${name} `)]
  })

const bracketed = (text: string, isRequired: boolean) => (isRequired ? text : `[${text}]`)

const optionOf = ({ name, type }: HelpDoc.FlagDoc) => (type === "boolean" ? `--${name}` : `--${name} ${type}`)

const argumentOf = ({ name }: HelpDoc.ArgDoc) => `<${name}>`

const usageOf = ({ args = [], commandPath = [], flags }: HelpDoc.HelpDoc) =>
  [
    "$",
    ...commandPath,
    ...flags.map((flag) => bracketed(optionOf(flag), flag.required)),
    ...args.map((arg) => bracketed(argumentOf(arg), arg.required))
  ].join(" ")

const descriptionOf = ({ description }: HelpDoc.FlagDoc | HelpDoc.ArgDoc) => Option.getOrElse(description, () => "")

/** Writes help and the version, in lines that fit the terminal. Wrong use gets one error line instead of all the help. */
export const makePresenter = (
  program: Command.Command.Any,
  { title, version }: { readonly title: string; readonly version: string }
): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag === "InvalidInvocation") return
    if (event._tag === "Version") return yield* Console.log(version)
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const bold = (text: string) => (canColor ? `\u001b[1m${text}\u001b[0m` : text)
    const { args = [], description, flags } = event.helpDoc
    const commands = commandsBelow(commandAt(program, event.commandPath.slice(1)))
    const section = (heading: string, text: string) => [bold(heading), text]
    const tableOf = (heading: string, rows: ReadonlyArray<Row>) =>
      rows.length === 0 ? [] : section(heading, table(rows))
    const sections = [
      bold(`${title} ${version}`),
      ...section("USAGE", wrap(usageOf(event.helpDoc), 4)),
      ...section("DESCRIPTION", wrap(description, 4)),
      ...tableOf(
        "ARGUMENTS",
        args.map((arg) => [argumentOf(arg), descriptionOf(arg)])
      ),
      ...tableOf(
        "OPTIONS",
        flags.map((flag) => [optionOf(flag), descriptionOf(flag)])
      ),
      ...tableOf("COMMANDS", commands)
    ]
    yield* Console.log(`${sections.join("\n\n")}\n`)
  })
})
