import { Console, Effect, Option } from "effect"
import { type CliOutput, type Command, type HelpDoc, TerminalCapabilities } from "effect/cli"

/** Maximum line length. */
const COLUMNS = 100

/** Maximum width of the name column. Descriptions of longer names are not aligned. */
const MAX_NAME = 32

/** Breaks a long line at spaces and indents the continuation. */
const wrap = (line: string, indent: number, columns = COLUMNS): string => {
  if (line.length <= columns) return line
  const end = line.lastIndexOf(" ", columns)
  if (end <= indent) return line
  return `${line.slice(0, end)}\n${wrap(`${" ".repeat(indent)}${line.slice(end + 1)}`, indent, columns)}`
}

type Row = readonly [name: string, description: string]

/** Formats a name and a description per line, in two columns. */
const formatRows = (rows: ReadonlyArray<Row>): string => {
  const width = Math.min(MAX_NAME, Math.max(...rows.map(([name]) => name.length)))
  return rows.map(([name, description]) => wrap(`  ${name.padEnd(width)}  ${description}`, width + 4)).join("\n")
}

const listedCommands = (command: Command.Command.Any): ReadonlyArray<Command.Command.Any> =>
  command.subcommands.flatMap(({ commands }) => commands).filter(({ unlisted }) => !unlisted)

/** Finds the command at a path of names below another command. */
const commandAt = (command: Command.Command.Any, [name, ...names]: ReadonlyArray<string>): Command.Command.Any => {
  const next = listedCommands(command).find((subcommand) => subcommand.name === name)
  return next === undefined ? command : commandAt(next, names)
}

/** Names of the subcommands of the group at a path that starts with the program's name. */
export const subcommandNames = (program: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  listedCommands(commandAt(program, path.slice(1))).map(({ name }) => name)

/** Lists all commands below another command. The library lists only its direct subcommands. */
const commandsBelow = (command: Command.Command.Any, path = ""): ReadonlyArray<Row> =>
  listedCommands(command).flatMap((subcommand) => {
    const name = `${path}${subcommand.name}`
    const below = commandsBelow(subcommand, `${name} `)
    const summary = subcommand.shortDescription ?? subcommand.description ?? ""
    // Groups are not listed: they do nothing on their own.
    return below.length > 0 ? below : [[name, summary] as const]
  })

const formatFlag = ({ name, type }: HelpDoc.FlagDoc) => (type === "boolean" ? `--${name}` : `--${name} <${type}>`)

const formatArgument = ({ name }: HelpDoc.ArgDoc) => `<${name}>`

const formatUsage = ({ args = [], commandPath = [], flags }: HelpDoc.HelpDoc, hasSubcommands: boolean) => {
  const required = flags.filter((flag) => flag.required).map(formatFlag)
  return [
    ...commandPath,
    ...(hasSubcommands ? ["<command>"] : []),
    ...args.map((arg) => (arg.required ? formatArgument(arg) : `[${formatArgument(arg)}]`)),
    ...required,
    ...(hasSubcommands || flags.length > required.length ? ["[options]"] : [])
  ].join(" ")
}

const descriptionOf = ({ description }: HelpDoc.FlagDoc | HelpDoc.ArgDoc) => Option.getOrElse(description, () => "")

const flagRow = (flag: HelpDoc.FlagDoc): Row => [
  formatFlag(flag),
  flag.required ? `${descriptionOf(flag)} (required)` : descriptionOf(flag)
]

/** The library puts all choices of a global option into its type. Its description has them as well. */
const globalFlagRow = (flag: HelpDoc.FlagDoc): Row => [
  flag.type === "boolean" ? `--${flag.name}` : `--${flag.name} <value>`,
  descriptionOf(flag)
]

/** Long examples are continued with a backslash, so that they can be pasted into a shell. */
const formatExample = ({ command }: HelpDoc.ExampleDoc) =>
  wrap(`  ${command}`, 6, COLUMNS - 2).replaceAll("\n", " \\\n")

/**
 * Presents help and the version in lines of at most 100 columns. Presents nothing for a usage error: the program prints
 * one line instead of the whole help.
 */
export const makePresenter = (
  program: Command.Command.Any,
  { title, version }: { readonly title: string; readonly version: string }
): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag === "InvalidInvocation") return
    if (event._tag === "Version") return yield* Console.log(version)
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const bold = (text: string) => (canColor ? `\u001b[1m${text}\u001b[0m` : text)
    const { args = [], description, examples = [], flags, globalFlags = [] } = event.helpDoc
    const commands = commandsBelow(commandAt(program, event.commandPath.slice(1)))
    const section = (heading: string, text: string) => (text === "" ? [] : [`${bold(heading)}\n${text}`])
    const rowsOf = (heading: string, rows: ReadonlyArray<Row>) =>
      rows.length === 0 ? [] : section(heading, formatRows(rows))
    const isProgram = event.commandPath.length === 1
    const sections = [
      ...(isProgram ? [bold(`${title} ${version}`)] : []),
      wrap(`${description}.`.replace(/\.\.$/, "."), 0),
      ...section("USAGE", wrap(`  ${formatUsage(event.helpDoc, commands.length > 0)}`, 6)),
      ...rowsOf(
        "ARGUMENTS",
        args.map((arg) => [formatArgument(arg), descriptionOf(arg)])
      ),
      ...rowsOf("OPTIONS", flags.map(flagRow)),
      ...rowsOf("COMMANDS", commands),
      ...section("EXAMPLES", examples.map(formatExample).join("\n")),
      ...rowsOf("GLOBAL OPTIONS", isProgram ? globalFlags.map(globalFlagRow) : [])
    ]
    yield* Console.log(`${sections.join("\n\n")}\n`)
  })
})
