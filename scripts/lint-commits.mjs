// Checks commit subjects against CONTRIBUTING.md. `npm run check:commits` checks the last commit, `npm run
// check:commits -- main..HEAD` a range.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const MAX_SUBJECT = 72
const FORM = /^(?:feat|fix|perf|refactor|docs|test|build|ci)(?:\([a-z0-9-]+\))?!?: (\S.*)$/

/** The rules that a subject breaks, as text. */
export const problemsOf = (subject) => {
  const [, text] = FORM.exec(subject) ?? []
  return [
    text === undefined && "expected `type(scope): subject` with a known type",
    subject.length > MAX_SUBJECT && `${subject.length} characters, ${MAX_SUBJECT} allowed`,
    subject.endsWith(".") && "ends with a full stop"
  ].filter(Boolean)
}

const subjectsIn = (range) => {
  const args = range === undefined ? ["-1"] : [range]
  return execFileSync("git", ["log", "--no-merges", "--format=%h %s", ...args], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = subjectsIn(process.argv[2]).flatMap((line) => {
    const subject = line.slice(line.indexOf(" ") + 1)
    return problemsOf(subject).map((problem) => `${line}: ${problem}\n`)
  })
  process.stdout.write(lines.join(""))
  process.exitCode = lines.length === 0 ? 0 : 1
}
