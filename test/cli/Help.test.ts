import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { cli } from "../support/process/Cli.ts"
import { temporaryFolder } from "../support/process/Process.ts"
import { isMissing, runInBash } from "../support/process/Programs.ts"

/** Help of a command, in sections by their headings. The text before the first heading is the description. */
const helpOf = Effect.fn(function* (...command: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* cli("", ...command, "--help")
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  const text = stripVTControlCharacters(stdout)
  for (const line of text.split("\n")) assert.isAtMost(line.length, 100, line)
  const [description = "", ...parts] = text.split(/^([A-Z][A-Z ]+)\n/m)
  const sections = new Map<string, string>()
  for (let index = 0; index < parts.length; index += 2) sections.set(parts[index] ?? "", parts[index + 1] ?? "")
  return { description, section: (heading: string) => sections.get(heading) ?? "" }
})

/** All commands with their summaries, from the help of the program. */
const listedCommands = Effect.map(helpOf(), ({ section }) =>
  section("COMMANDS")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, name = "", summary = ""] = /^ {2}(\S+(?: \S+)*) {2,}(.+)$/.exec(line) ?? []
      return { name, summary }
    })
)

const VERBS =
  /^(?:Add|Apply|Cancel|Check|Close|Create|Delete|Deliver|Encrypt|Export|Import|Install|List|Move|Pause|Print|Replace|Restore|Resume|Revoke|Run|Set|Show|Suspend|Uninstall|Upgrade) /

it.live("the program's help lists every command by its full name with a one-line summary", () =>
  Effect.gen(function* () {
    const commands = yield* listedCommands
    assert.isAbove(commands.length, 40)
    for (const { name, summary } of commands) {
      assert.notStrictEqual(name, "")
      assert.match(summary, VERBS, name)
    }
    assert.include(
      commands.map(({ name }) => name),
      "apps webhook set"
    )
    const below = yield* helpOf("apps")
    assert.match(below.section("COMMANDS"), /^ {2}webhook set +Set the webhook URL/m)
    assert.strictEqual(below.section("USAGE").trim(), "partner-api apps <command> [options]")
    assert.match((yield* helpOf()).section("GLOBAL OPTIONS"), /--completions <value>/)
  })
)

const usageOf = (...command: ReadonlyArray<string>) =>
  Effect.map(helpOf(...command), ({ section }) => section("USAGE").trim())

it.live("the usage line has the arguments and required options", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      yield* usageOf("apps", "create"),
      "partner-api apps create --name <name> --scope <scope> [options]"
    )
    assert.strictEqual(yield* usageOf("stores", "delete"), "partner-api stores delete <store> [options]")
  })
)

/** Commands that print a log instead of a result. */
const WITHOUT_JSON = new Set(["worker"])

it.live("every command except worker has --json, and its examples use only its own options", () =>
  Effect.gen(function* () {
    for (const { name, summary } of yield* listedCommands) {
      const { description, section } = yield* helpOf(...name.split(" "))
      assert.isTrue(description.replaceAll(/\s+/g, " ").startsWith(summary), name)
      const options = new Set(
        section("OPTIONS")
          .match(/^ {2}--[\w-]+/gm)
          ?.map((line) => line.trim())
      )
      assert.strictEqual(options.has("--json"), !WITHOUT_JSON.has(name), name)
      const examples = section("EXAMPLES")
      assert.isTrue(examples.startsWith(`  partner-api ${name}`), name)
      for (const option of examples.match(/--[\w-]+/g) ?? []) assert.isTrue(options.has(option), `${name} ${option}`)
    }
  })
)

const errorLine = (line: string) => ({ code: 2, signal: null, stderr: `partner-api: ${line}\n`, stdout: "" })

it.live("a misspelt option or command prints one error line with a suggestion", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      yield* cli("", "migrate", "--jso"),
      errorLine("Unknown option: --jso. Did you mean --json? See: partner-api migrate --help")
    )
    assert.deepStrictEqual(
      yield* cli("", "stores", "lst"),
      errorLine("Unknown command: lst. Did you mean list? See: partner-api stores --help")
    )
  })
)

/** Completes a command line in bash: the last word is the one under the cursor. */
const complete = (script: string, ...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { stderr, stdout } = await runInBash(
      `source ${script}`,
      `COMP_WORDS=(partner-api ${words.join(" ")}); COMP_LINE="\${COMP_WORDS[*]}"`,
      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_POINT=${#COMP_LINE}",
      "completer=$(complete -p partner-api | grep -o -- '-F [^ ]*')",
      '${completer#-F } partner-api "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"',
      "echo ${COMPREPLY[@]}"
    )
    assert.strictEqual(stderr, "")
    return stdout.trim()
  })

it.live.skipIf(isMissing("bash"))("bash completions complete commands, options and the values of a choice", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* cli("", "--completions", "bash")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const script = join(yield* temporaryFolder, "completions.bash")
    writeFileSync(script, stdout)
    assert.strictEqual(yield* complete(script, "inst"), "installations")
    assert.strictEqual(yield* complete(script, "stores", "set"), "set-plan")
    assert.strictEqual(yield* complete(script, "import", "products", "--dry"), "--dry-run")
    assert.strictEqual(yield* complete(script, "import", "products", "--format", "sho"), "shopify")
  })
)

it.live("zsh and fish completions contain commands and summaries of groups", () =>
  Effect.gen(function* () {
    for (const shell of ["zsh", "fish"]) {
      const { code, stderr, stdout } = yield* cli("", "--completions", shell)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.include(stdout, "Manage apps that are installed on stores")
      assert.include(stdout, "set-plan")
    }
  })
)
