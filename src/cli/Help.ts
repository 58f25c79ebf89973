import { HelpDoc } from "@effect/cli"
import * as Span from "@effect/cli/HelpDoc/Span"

/** Columns of a terminal that is narrow or unknown. */
const COLUMNS = 100

/** A command in the framework's list of them: how it is used, and what it does. */
const COMMAND = /^ {2}- (\S.*?) {2,}(\S.*)$/

/** The words before options and arguments. The framework repeats the group of a group within it. */
const nameOf = (usage: string) => usage.replace(/ (?:--|\[|<).*$/, "").replace(/^(\S+) \1 /, "$1 ")

/** Breaks a line that is too long at its spaces; what follows is indented. */
const wrap = (line: string, indent: number): string => {
  if (line.length <= COLUMNS) return line
  const end = line.lastIndexOf(" ", COLUMNS)
  return end <= indent ? line : `${line.slice(0, end)}\n${wrap(`${" ".repeat(indent)}${line.slice(end + 1)}`, indent)}`
}

/** A command a line: its name and what it does. How it is used is told by the help of its own. */
const table = (commands: ReadonlyArray<readonly [name: string, does: string]>): ReadonlyArray<string> => {
  const width = Math.max(...commands.map(([name]) => name.length))
  return commands.map(([name, does]) => wrap(`  ${name.padEnd(width)}  ${does}`, width + 4))
}

/** How the framework's help begins. */
const beginning = (name: string) => HelpDoc.toAnsiText(HelpDoc.h1(Span.code(name))).trimEnd()

/**
 * The help of the program called `name` for people who typed `typed`, made of the framework's, which has every option of
 * every command in one list, in lines of 250 columns. Other text stays as it is.
 */
export const readable = (name: string, typed: ReadonlyArray<string>) => (text: unknown) => {
  if (typeof text !== "string" || !text.startsWith(beginning(name))) return text
  const lines = text.split("\n")
  const commands = lines.flatMap((line) => {
    const [, usage, does] = COMMAND.exec(line) ?? []
    return usage === undefined || does === undefined ? [] : [[nameOf(usage), does] as const]
  })
  const first = lines.findIndex((line) => COMMAND.test(line))
  const before = (first === -1 ? lines : lines.slice(0, first)).map((line) =>
    wrap(
      line.replace(/^\$ (\S+)/, (_, command: string) =>
        ["$ partner-api", ...typed.slice(0, typed.indexOf(command) + 1)].join(" ")
      ),
      4
    )
  )
  return [...before, ...(first === -1 ? [] : [...table(commands), ""])].join("\n")
}
