// Checks the prose of documents: private words, and sentences that need a second reading. `npm run check:words`.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const FILES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]

/** The contract is given, and 0015 records an engine that is being replaced. */
const EXEMPT = new Set([
  "docs/spec/partner-api-v1.md",
  "docs/decisions/0015-calls-are-answered-from-their-definitions.md"
])

const THING =
  "(?:code|column|document|error|field|header|log|message|page|reference|response|row|schema|server|service|table|test)"

/** Rules for the start of a sentence. Questions and headings are exempt. */
const OPENINGS = [
  [/^What\b/, "opens with a what-clause: name the thing"],
  [/^(?:Who|Whoever|Whom)\b/, "opens with a who-clause: name the actor"],
  [/^Whether\b/, "opens with a whether-clause"],
  [/^Of\b/, "opens with “Of”: start with the subject"],
  [/^That (?:a|an|each|every|it|no|nobody|somebody|the|there|they)\b/, "opens with a that-clause"],
  [/^(?:Nor|So) (?:are|did|do|does|had|has|have|is|was|were)\b/, "inversion: start with the subject"]
]

/** Rules for the whole text. */
const WORDS = [
  [/\b(?:amongOthers|overheard|rehears(?:al|als|e|ed|es|ing)|unsearched)\b/i, "private word"],
  [/\bstands? (?:apart|before|behind|beside|in|there|under)\b/, "metaphor: use “is in” or “is stored in”"],
  [/\b(?:are|be|is|was|were) told\b/, "personification: use “receives” or “is notified”"],
  [/\b(?:are|be|is|was|were) given up\b/, "use “is cancelled” or “is disconnected”"],
  [/\b(?:by|for|from|to) who\b/i, "name the actor"],
  [new RegExp(`\\b${THING}s? (?:hears?|knows?|says?|tells?|wants?)\\b`, "i"), "personification of code"]
]

/** Prose without code, link targets and emphasis. */
const plain = (line) =>
  line
    .replaceAll(/`[^`]*`/g, "`…`")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/<https?:[^>]*>/g, "…")
    .replaceAll(/\*\*|[[\]]/g, "")

/** The sentences of a line: table cells and list items are lines of their own. */
const sentencesOf = (line) =>
  line
    .split(/\s\|\s|^\|\s|\s\|$/)
    .map((cell) => cell.replace(/^\s*(?:[-*>]|\d+\.)\s+/, "").trim())
    .flatMap((cell) => cell.split(/(?<=[.:!?])\s+/))
    .filter((sentence) => sentence !== "")

/** The findings of a Markdown text, each with its line. */
export const findingsIn = (markdown) => {
  let isCode = false
  return markdown.split("\n").flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode || /^\s*```/.test(line)) return []
    const text = plain(line)
    const isHeading = /^#+ /.test(text)
    const openings = sentencesOf(text)
      .filter((sentence) => !isHeading && !sentence.endsWith("?") && /\s/.test(sentence))
      .flatMap((sentence) =>
        OPENINGS.filter(([pattern]) => pattern.test(sentence)).map(([, rule]) => ({ sentence, rule }))
      )
    const words = WORDS.flatMap(([pattern, rule]) => {
      const [found] = pattern.exec(text) ?? []
      return found === undefined ? [] : [{ sentence: found, rule }]
    })
    return [...openings, ...words].map((finding) => ({ line: index + 1, ...finding }))
  })
}

const documents = () =>
  readdirSync("docs", { recursive: true, encoding: "utf8" })
    .map((file) => join("docs", file))
    .filter((file) => file.endsWith(".md") && !EXEMPT.has(file))
    .toSorted()

const excerpt = (sentence) => (sentence.length > 60 ? `${sentence.slice(0, 60)}…` : sentence)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  const files = named.length > 0 ? named : [...FILES, ...documents()]
  const lines = files.flatMap((file) =>
    findingsIn(readFileSync(file, "utf8")).map(
      ({ line, rule, sentence }) => `${file}:${line}: ${rule}: ${excerpt(sentence)}\n`
    )
  )
  process.stdout.write(lines.join(""))
  process.exitCode = lines.length === 0 ? 0 : 1
}
